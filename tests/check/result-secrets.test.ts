import { describe, expect, test } from 'vitest'
import { executeCheck } from '../../src/check/execute.ts'
import { describe as describeResponse } from '../../src/check/expect.ts'
import { HttpResponse } from '../../src/http/response.ts'
import { definition, openRun } from './run-fixture.ts'

describe('the result of a check', () => {
  test('contains no secret that the run knows', async () => {
    const { run: one } = await openRun()
    const secret = 'canary-client-secret'
    const encoded = encodeURIComponent('canary-pass+word')
    const run = definition(async ({ note, observe, expect }) => {
      note(`a note with ${secret}`)
      observe('key', [secret, 'canary-user'])
      expect.describeRequest(secret)
      expect.that(false, `not ${secret}`, `it was ${encoded}`)
    })
    const result = await executeCheck(run, one)
    expect(result.verdict).toBe('fail')
    expect(JSON.stringify(result)).not.toMatch(/canary/)
    const defect = definition(() => Promise.reject(new TypeError(`Invalid URL ${secret}`)))
    expect(JSON.stringify(await executeCheck(defect, one))).not.toMatch(/canary/)
  })

  test('has no quotation of a response in its reason, even from the error of a library', async () => {
    const run = definition(async () => JSON.parse('canary-of-somebody-else'))
    const { reason } = await executeCheck(run, (await openRun()).run)
    expect(reason).not.toMatch(/canary/)
  })

  test('keeps its verdict if a secret is one of the words of Plumbline', async () => {
    const { run: one } = await openRun()
    one.vault.add('target', 'inconclusive')
    const fails = definition(async ({ expect }) => expect.that(false, 'a', 'b'))
    expect(await executeCheck(fails, one)).toMatchObject({ verdict: 'fail', cause: 'target' })
  })

  test('shows the error that the target named, unless it is a value that the run knows to be secret', async () => {
    const { run: one } = await openRun()
    one.vault.add('received_token_value')
    const named = async (error: string) => {
      const response = new HttpResponse(
        400,
        { location: `https://partner.example.com/callback?error=${error}` },
        JSON.stringify({ error }),
      )
      const judges = definition(async ({ expect, note }) => {
        note(describeResponse(response))
        expect.permittedError(response, [400, 'invalid_grant'])
      })
      return executeCheck(judges, one)
    }
    const shown = await named('token_rotated')
    expect(shown.finding).toMatchObject({ expected: '400 invalid_grant', actual: '400 token_rotated' })
    for (const secret of ['canary-client-secret', 'canary-user', 'received_token_value']) {
      const result = await named(secret)
      expect(result.finding?.actual).toBe('400 <secret>')
      expect(JSON.stringify(result)).not.toContain(secret)
    }
  })
})
