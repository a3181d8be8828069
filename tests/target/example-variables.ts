import { targetFrom } from '../../src/target/config.ts'
import { SetupError } from '../../src/target/problem.ts'
import type { TargetName } from '../../src/target/profiles.ts'
import { variables } from '../../src/target/variables.ts'

/** The example of each variable. */
export const examples = Object.fromEntries(
  Object.entries(variables).map(([name, { example }]) => [name, example]),
)

/** The variables that a UAT target needs. */
export const uat = {
  IDP_BASE_URL: 'https://login.uat.example.com',
  PARTNER_API_URL: 'https://api.uat.example.com/partner/',
  CLIENT_ID: 'application',
  CLIENT_SECRET: 'canary-client-secret',
  REDIRECT_URI: 'https://partner.example.com/callback',
  PRODUCTION_HOSTS: 'none',
}

/** The problems of a configuration. */
export function problems(env: Record<string, string>, name: TargetName = 'uat') {
  try {
    targetFrom(name, env)
  } catch (error) {
    if (error instanceof SetupError) return error.problems
    throw error
  }
  return []
}
