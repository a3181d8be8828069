import { onTestFinished } from 'vitest'
import { type CheckBody, type CheckDefinition, catalogue } from '../../src/check/catalogue.ts'
import { type CheckContext, fixtures } from '../../src/check/fixtures.ts'
import type { Level } from '../../src/check/requirement.ts'
import { RunContext } from '../../src/check/run-context.ts'
import type { SuiteCheck } from '../../src/check/suites.ts'
import { targetFrom } from '../../src/target/config.ts'
import type { Target } from '../../src/target/target.ts'
import { type Answer, site } from '../http/site.ts'

/** A target whose identity provider and Event Hub are the same server. */
export function targetAt(origin: string): Target {
  return targetFrom('embedded', {
    IDP_BASE_URL: origin,
    PARTNER_API_URL: `${origin}/partner`,
    PARTNER_CLIENT_ID: 'partner',
    PARTNER_CLIENT_SECRET: 'partner-secret',
    CLIENT_ID: 'application',
    CLIENT_SECRET: 'canary-client-secret',
    REDIRECT_URI: 'https://partner.example.com/callback',
    TEST_USER: 'canary-user',
    TEST_PASSWORD: 'canary-pass+word',
  })
}

/** A run whose target is a small server; both end with the test. */
export async function openRun(answer?: Answer, changes: Partial<Target> = {}) {
  const server = await site(answer)
  const target = targetAt(server.url().origin)
  const run = new RunContext({ target: { ...target, ...changes } })
  onTestFinished(() => run.close())
  return { run, server }
}

/** A check for tests. Its requirement is removed from the catalogue after the test: test files share the catalogue. */
export function definition(
  body: CheckBody<CheckContext>,
  options: Partial<CheckDefinition> = {},
  level: Level = 'must',
): SuiteCheck {
  const requirement = `TEST-${level.toUpperCase()}`
  catalogue.requirements.set(requirement, {
    id: requirement,
    area: 'test',
    section: 'Test',
    level,
    statement: '',
  })
  onTestFinished(() => void catalogue.requirements.delete(requirement))
  return { requirement, area: 'test', name: 'a check', file, fixtures, body: body as CheckBody, ...options }
}

/** The file of the checks. */
export const file = 'suites/test.test.ts'
