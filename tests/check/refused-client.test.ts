import { describe, expect, test } from 'vitest'
import { mayBeLocked, withoutTokens } from '../../src/check/refused-client.ts'
import type { RunContext } from '../../src/check/run-context.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import type { Application } from '../../src/target/target.ts'

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
  id = 'app',
}: {
  failedAt?: number[]
  acceptedAt?: number[]
  id?: string
}) {
  const failedAuthentications = failedAt.map((at) => ({ applicationId: id, response: response(401, at) }))
  const issued = acceptedAt.map((at) => ({ application, form: [], response: response(200, at) }))
  return { provider: { failedAuthentications, issued }, target: { application } } as unknown as RunContext
}

describe('a refusal may be a lock of the application', () => {
  test.each([
    ['with status 401', response(401, 20)],
    ['with status 403', response(403, 20)],
    ['with a 400 about the client', response(400, 20, 'invalid_client')],
  ])('%s, after a failed authentication', (_, refused) => {
    expect(mayBeLocked(runWith({ failedAt: [10] }), application, refused)).toBe(true)
  })

  test.each([
    ['without a failed authentication', {}, response(401, 20)],
    ['before it', { failedAt: [30] }, response(401, 20)],
    ['after that of another application', { failedAt: [10], id: 'other' }, response(401, 20)],
    ['if a request was accepted in between', { failedAt: [10], acceptedAt: [15] }, response(401, 20)],
    ['if it concerns the grant', { failedAt: [10] }, response(400, 20, 'invalid_grant')],
    ['if it is accepted', { failedAt: [10] }, response(200, 20)],
  ])('not %s', (_, run, refused) => {
    expect(mayBeLocked(runWith(run), application, refused)).toBe(false)
  })

  test('not because of itself', () => {
    const run = runWith({ failedAt: [10] })
    const own = run.provider.failedAuthentications[0]?.response as HttpResponse
    expect(mayBeLocked(run, application, own)).toBe(false)
  })

  test('an acceptance before the last failed authentication does not exclude it', () => {
    expect(
      mayBeLocked(runWith({ failedAt: [10, 18], acceptedAt: [15] }), application, response(401, 20)),
    ).toBe(true)
  })
})

test('a refused client is a matter of the configuration unless it may be locked', () => {
  const refused = response(401, 20)
  expect(withoutTokens(runWith({}), application, refused).variables).toContain('CLIENT_SECRET')
  const locked = withoutTokens(runWith({ failedAt: [10] }), application, refused)
  expect(locked.variables).toEqual([])
  expect(locked.cause).toBe('throttled')
})
