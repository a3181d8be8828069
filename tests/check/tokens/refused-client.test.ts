import { describe, expect, test } from 'vitest'
import type { RunContext } from '../../../src/check/run-context.ts'
import { clientRefusal, requireNoLock, withoutTokens } from '../../../src/check/tokens/refused-client.ts'
import { Inconclusive } from '../../../src/check/verdict.ts'
import type { HttpResponse } from '../../../src/http/response.ts'
import type { Application } from '../../../src/target/target.ts'

const application: Application = {
  id: 'app',
  secret: 'secret',
  authMethod: 'client_secret_basic',
  redirectUri: 'https://app.invalid/callback',
}

function response(status: number, sentAt: number, error?: string): HttpResponse {
  return { status, object: { error }, json: {}, text: '{}', exchange: { sentAt } } as unknown as HttpResponse
}

function runWith({
  failedAt = [],
  acceptedAt = [],
  refusedAt = [],
  id = 'app',
}: {
  failedAt?: number[]
  acceptedAt?: number[]
  refusedAt?: number[]
  id?: string
}) {
  const failedAuthentications = failedAt.map((at) => ({ applicationId: id, response: response(401, at) }))
  const issued = acceptedAt.map((at) => ({ application, form: [], response: response(200, at) }))
  return {
    provider: { log: { failedAuthentications, issued } },
    validRequests: {
      exchanges: refusedAt.map((at) => ({ applicationId: 'app', response: response(401, at) })),
      refreshes: [],
    },
    target: { application },
  } as unknown as RunContext
}

describe('a refusal may be a lock of the application', () => {
  test.each([
    ['with status 401', response(401, 20)],
    ['with status 403', response(403, 20)],
    ['with status 401 and at the same time', response(401, 10)],
    ['with a 400 about the client', response(400, 20, 'invalid_client')],
    ['with a 400 about the permission of the client', response(400, 20, 'unauthorized_client')],
    ['with a 400 that denies access', response(400, 20, 'access_denied')],
  ])('%s, after a failed authentication', (_, refused) => {
    expect(clientRefusal(runWith({ failedAt: [10] }), application, refused)).toBe('locked')
  })

  test.each([
    ['without a failed authentication', {}, response(401, 20)],
    ['if the client was refused even before it', { refusedAt: [5], failedAt: [10] }, response(401, 20)],
    ['before it', { failedAt: [30] }, response(401, 20)],
    ['after that of another application', { failedAt: [10], id: 'other' }, response(401, 20)],
    ['if a request was accepted in between', { failedAt: [10], acceptedAt: [15] }, response(401, 20)],
    ['if it concerns the grant', { failedAt: [10] }, response(400, 20, 'invalid_grant')],
    ['if it is accepted', { failedAt: [10] }, response(200, 20)],
    ['with a status of success', { failedAt: [10] }, response(200, 20, 'invalid_client')],
    [
      'if a request was accepted at the time of the failure',
      { failedAt: [10], acceptedAt: [10] },
      response(401, 20),
    ],
    [
      'without an object',
      { failedAt: [10] },
      { ...response(404, 20), object: undefined } as unknown as HttpResponse,
    ],
    ['if a request was accepted at the same time', { failedAt: [10], acceptedAt: [20] }, response(401, 20)],
  ])('not %s', (_, run, refused) => {
    expect(clientRefusal(runWith(run), application, refused)).not.toBe('locked')
  })

  test('if only another application was accepted in between, or only afterwards', () => {
    const run = runWith({ failedAt: [10], acceptedAt: [15] })
    expect(clientRefusal(run, { id: 'app' }, response(401, 20))).toBe('ended')
    const others = run.provider.log.issued.map((one) => ({
      ...one,
      application: { ...application, id: 'b' },
    }))
    const elsewhere = {
      ...run,
      provider: { log: { ...run.provider.log, issued: others } },
    } as unknown as RunContext
    expect(clientRefusal(elsewhere, application, response(401, 20))).toBe('locked')
    expect(clientRefusal(runWith({ failedAt: [10], acceptedAt: [25] }), application, response(401, 20))).toBe(
      'locked',
    )
  })

  test('not because of itself', () => {
    const run = runWith({ failedAt: [10] })
    const own = run.provider.log.failedAuthentications[0]?.response as HttpResponse
    expect(clientRefusal(run, application, own)).toBe('never accepted')
  })

  test('an acceptance before the last failed authentication does not exclude it', () => {
    const run = runWith({ failedAt: [10, 18], acceptedAt: [15] })
    expect(clientRefusal(run, application, response(401, 20))).toBe('locked')
  })

  test('a refusal before the last acceptance does not exclude it', () => {
    const run = runWith({ refusedAt: [5], failedAt: [10], acceptedAt: [8] })
    expect(clientRefusal(run, application, response(401, 20))).toBe('locked')
  })
})

describe('without a failed authentication, a refusal of the client', () => {
  const refused = response(401, 20)

  test.each([
    ['is never accepted if no request is', {}, 'never accepted'],
    ['has ended after an acceptance', { acceptedAt: [10] }, 'ended'],
    ['concerns the request if a later one is accepted', { acceptedAt: [30] }, undefined],
    ['concerns the request if an earlier and a later one are accepted', { acceptedAt: [10, 30] }, undefined],
  ])('%s', (_, run, expected) => {
    expect(clientRefusal(runWith(run), application, refused)).toBe(expected)
  })

  test.each([
    ['an error of the grant', response(400, 20, 'invalid_grant')],
    ['status 403', response(403, 20)],
    ['denied access', response(400, 20, 'access_denied')],
    ['an error beside status 200', response(200, 20, 'invalid_client')],
  ])('is not %s', (_, other) => {
    expect(clientRefusal(runWith({}), application, other)).toBeUndefined()
  })
})

test('a refusal that a lock may explain makes a check inconclusive, and no other does', () => {
  const require = (at: number) => () =>
    requireNoLock(runWith({ failedAt: [10] }), application, response(401, at))
  expect(require(20)).toThrow(Inconclusive)
  expect(require(5)).not.toThrow()
})

describe('a code exchange without tokens', () => {
  const why = (
    refused: HttpResponse,
    changes: Partial<Application> = {},
    failedAt: number[] = [],
    acceptedAt: number[] = [],
  ) => withoutTokens(runWith({ failedAt, acceptedAt }), { ...application, ...changes }, refused)
  const ambiguous = /characters that servers expect in different encodings/

  test('is a matter of the configuration if the client is refused', () => {
    const { message, variables, cause } = why(response(401, 20))
    expect({ message, variables, cause }).toEqual({
      message:
        'the provider refused the client credentials (401 with a JSON body that has no "error" member)',
      variables: ['CLIENT_SECRET', 'CLIENT_AUTH_METHOD'],
      cause: 'configuration',
    })
    expect(why(response(400, 20, 'invalid_client')).variables).toContain('CLIENT_SECRET')
    const page = { ...response(404, 20), object: undefined } as unknown as HttpResponse
    expect(why(page).variables).toEqual([])
  })

  test.each([401, 400])('is no matter of the configuration if it was accepted before: %i', (status) => {
    const { message, dependsOn, variables } = why(response(status, 20, 'invalid_client'), {}, [], [10])
    expect(message).toBe(
      `the target refused client credentials that it had accepted in this run (${status} with error=invalid_client)`,
    )
    expect({ dependsOn, variables }).toEqual({ dependsOn: ['TOKEN-CODE-EXCHANGE'], variables: [] })
  })

  test.each([
    ['only at the same time', {}, [20]],
    ['only another application', { id: 'second' }, [10]],
  ])('is one if it was accepted %s', (_, changes, acceptedAt) => {
    expect(why(response(401, 20), changes, [], acceptedAt).variables).toContain('CLIENT_AUTH_METHOD')
  })

  test('is a matter of the registration if the client may not exchange codes', () => {
    const { message, variables, cause, advice } = why(response(400, 20, 'unauthorized_client'))
    expect({ message, variables, cause }).toEqual({
      message:
        'the provider does not allow the client to exchange codes (400 with error=unauthorized_client)',
      variables: ['CLIENT_ID'],
      cause: 'configuration',
    })
    expect(advice).toMatch(/allow the authorization code grant to CLIENT_ID$/)
  })

  test('names the variables of the second application', () => {
    expect(why(response(401, 20), { id: 'second' }).variables).toEqual([
      'SECOND_CLIENT_SECRET',
      'CLIENT_AUTH_METHOD',
    ])
  })

  test.each([
    ['in a Basic header', { secret: 'a+b' }, true],
    ['in the form', { secret: 'a+b', authMethod: 'client_secret_post' }, false],
    ['without such characters', {}, false],
  ] as const)('mentions characters that Basic may encode %s', (_, changes, mentions) => {
    expect(ambiguous.test(why(response(401, 20), changes).message)).toBe(mentions)
  })

  test('may follow a lock after failed authentications', () => {
    const { message, variables, cause, advice } = why(response(401, 20), {}, [10])
    expect({ variables, cause, advice }).toEqual({
      variables: [],
      cause: 'throttled',
      advice: expect.stringContaining('remove credential-probes from ENABLE'),
    })
    expect(message).toMatch(/after failed authentications \(401 with/)
  })

  test('otherwise depends on the requirement of the exchange', () => {
    const { message, dependsOn, variables } = why(response(400, 20, 'invalid_grant'))
    expect(message).toMatch(/^the code exchange returned no tokens \(/)
    expect({ dependsOn, variables }).toEqual({ dependsOn: ['TOKEN-CODE-EXCHANGE'], variables: [] })
    expect(why(response(400, 20, 'invalid_grant'), {}, [], [10]).message).toBe(message)
  })
})
