import { describe, expect, test } from 'vitest'
import type { AuthorizationSteps } from '../../../src/check/authorization/authorization-steps.ts'
import type { TokenSteps } from '../../../src/check/tokens/token-steps.ts'
import { LevelSteps } from '../../../suites/authorization/level-steps.ts'
import { type Landing, page, redirect } from '../../check/authorization/landings.ts'
import { openRun } from '../../check/run-fixture.ts'

/** Steps whose authorization requests all end at one landing, and the requests. */
async function levelsWith(landing: Landing) {
  const sent: unknown[] = []
  const authorize = async (...request: unknown[]) => {
    sent.push(request)
    return { request: {}, landing }
  }
  const { run } = await openRun()
  const authorization = { authorize } as unknown as AuthorizationSteps
  return { sent, levels: new LevelSteps(run, { authorization, tokens: {} as TokenSteps }) }
}

describe('the control after the refusal of a level', () => {
  test('is a login in a new window without a level', async () => {
    const { levels, sent } = await levelsWith(redirect('?code=a'))
    await levels.requireLogin()
    expect(sent).toEqual([['new-login', { acr_values: null }]])
  })

  test.each<[Landing, string]>([
    [page(200), 'it ended at a page with status 200'],
    [page(403), 'it ended at a page with status 403'],
    [redirect('?error=access_denied'), 'it was redirected with error=access_denied'],
    [redirect('?code=a&error=access_denied'), 'it was redirected with error=access_denied'],
    [{ kind: 'login-page' }, 'it ended at the login page'],
  ])('makes the check inconclusive if it returns no code: %#', async (landing, end) => {
    const { levels } = await levelsWith(landing)
    await expect(levels.requireLogin()).rejects.toMatchObject({
      name: 'Inconclusive',
      message: `after the refusal, a login without a level returned no code either: ${end}`,
      cause: 'environment',
      dependsOn: ['AUTHZ-LEVEL-OPTIONAL'],
    })
  })
})
