import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { ReceivedRedirect } from '../../src/check/authorization/authorization-log.ts'
import {
  freshMs,
  isClientError,
  requireUnused,
  sendValidExchange,
  sendValidRefresh,
  ValidRequests,
} from '../../src/check/valid-requests.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import type { AuthorizationRequest } from '../../src/oauth/authorization-request.ts'

const now = 1_000_000

beforeEach(() => {
  vi.spyOn(Date, 'now').mockReturnValue(now)
})

const request = { application: { id: 'app' } } as AuthorizationRequest

function redirect(query: string, sentAt: number): ReceivedRedirect {
  const landing = { kind: 'redirect', query: new URLSearchParams(query), fragment: new URLSearchParams() }
  return { request, landing, exchanges: [{ sentAt }] } as unknown as ReceivedRedirect
}

function response(status: number, sentAt: number, object: object = {}): HttpResponse {
  return { status, object, exchange: { sentAt, durationMs: 1 } } as unknown as HttpResponse
}

const refused = response(400, now)

describe('a valid code exchange', () => {
  const exchanged = async (redirects: readonly ReceivedRedirect[], answer = refused) => {
    const validRequests = new ValidRequests()
    const provider = { log: { issued: [], tokenRefusals: [] } }
    await sendValidExchange(
      { validRequests, authorizationLog: { redirects: [...redirects] }, provider },
      { code: 'c', request },
      async () => answer,
    )
    return validRequests.exchanges
  }

  test('counts if its code is the newest one', async () => {
    const redirects = [
      redirect('code=b', now - 20),
      redirect('code=c', now - 10),
      redirect('error=x', now - 5),
    ]
    expect(await exchanged(redirects)).toEqual([{ applicationId: 'app', response: refused }])
  })

  test('counts with any code if it is not refused', async () => {
    const answer = response(302, now)
    expect(await exchanged([], answer)).toEqual([{ applicationId: 'app', response: answer }])
  })

  test.each([
    ['an older code', [redirect('code=c', now - 20), redirect('code=d', now - 10)]],
    ['a code that may have expired', [redirect('code=c', now - freshMs)]],
    ['a code of no redirect', []],
  ])('does not count with %s', async (_, redirects) => {
    expect(await exchanged(redirects)).toEqual([])
  })
})

describe('a valid refresh', () => {
  const tokens = (refreshToken: string, sentAt: number) => ({
    form: [],
    application: request.application,
    response: response(200, sentAt, { refresh_token: refreshToken }),
  })
  const refreshed = async (
    issued: readonly ReturnType<typeof tokens>[],
    tokenRefusals: readonly HttpResponse[] = [],
    redirects: readonly ReceivedRedirect[] = [],
    answer = refused,
  ) => {
    const validRequests = new ValidRequests()
    const provider = { log: { issued: [...issued], tokenRefusals: [...tokenRefusals] } }
    const refresh = { refreshToken: 'r', applicationId: 'app' }
    await sendValidRefresh(
      { validRequests, authorizationLog: { redirects: [...redirects] }, provider },
      refresh,
      async () => answer,
    )
    return validRequests
  }

  test('counts if the last response issued its token', async () => {
    const before = [tokens('p', now - 40), tokens('q', now - 30), tokens('r', now - 20)]
    const { refreshes, hasRefusedOlderGrant } = await refreshed(
      before,
      [response(400, now - 25)],
      [redirect('code=c', now - 20)],
    )
    expect(refreshes).toEqual([{ applicationId: 'app', response: refused }])
    expect(hasRefusedOlderGrant).toBe(false)
  })

  test.each([
    ['another token was issued', [tokens('r', now - 20), tokens('s', now - 10)], [], []],
    ['a request was refused', [tokens('r', now - 20)], [response(400, now - 10)], []],
    ['a request was refused at the same time', [tokens('r', now - 20)], [response(400, now - 20)], []],
    ['an authorization ended', [tokens('r', now - 20)], [], [redirect('code=c', now - 10)]],
    ['it may have expired', [tokens('r', now - freshMs)], [], []],
    ['no token was issued', [], [], []],
  ] as const)('does not count after %s', async (_, issued, refusals, redirects) => {
    const { refreshes, hasRefusedOlderGrant } = await refreshed(issued, refusals, redirects)
    expect(refreshes).toEqual([])
    expect(hasRefusedOlderGrant).toBe(true)
  })

  test('of an older token is not refused by a failure of the service', async () => {
    expect(await refreshed([], [], [], response(503, now))).toMatchObject({
      refreshes: [],
      hasRefusedOlderGrant: false,
    })
  })

  test.each([200, 302])('of an older token counts with status %i: it was not refused', async (status) => {
    const answer = response(status, now)
    expect(await refreshed([], [], [], answer)).toMatchObject({
      refreshes: [{ applicationId: 'app', response: answer }],
      hasRefusedOlderGrant: false,
    })
  })
})

describe('a used code or refresh token', () => {
  const resent = (status: number, error: string, earlierFailure: string | undefined) =>
    ({ ...response(status, now, { error }), earlierFailure }) as unknown as HttpResponse
  const provider = { log: { issued: [], tokenRefusals: [] } }
  const after503 = resent(400, 'invalid_grant', 'status 503')

  test.each(['code', 'refresh token'] as const)('may explain the refusal of a resent %s', (credential) => {
    expect(() => requireUnused(after503, credential)).toThrow(
      expect.objectContaining({
        kind: 'unavailable',
        message: `the token endpoint refused the ${credential} when the request was sent again after a failure (status 503); the first attempt may have used the ${credential}`,
      }),
    )
  })

  test.each([
    ['a request that was sent once', resent(400, 'invalid_grant', undefined)],
    ['another error', resent(400, 'invalid_client', 'status 503')],
    ['an accepted request', resent(200, 'invalid_grant', 'status 503')],
    ['a response without an object', { ...after503, object: undefined } as unknown as HttpResponse],
  ])('does not explain %s', (_, answer) => {
    expect(() => requireUnused(answer, 'code')).not.toThrow()
  })

  test('is no valid request', async () => {
    const validRequests = new ValidRequests()
    const log = { validRequests, authorizationLog: { redirects: [redirect('code=c', now - 10)] }, provider }
    const send = async () => after503
    await expect(sendValidExchange(log, { code: 'c', request }, send)).rejects.toThrow(/the code when/)
    const refresh = { refreshToken: 'r', applicationId: 'app' }
    await expect(sendValidRefresh(log, refresh, send)).rejects.toThrow(/the refresh token when/)
    expect(validRequests).toMatchObject({ exchanges: [], refreshes: [], hasRefusedOlderGrant: false })
  })
})

test.each([
  [399, false],
  [400, true],
  [401, true],
  [429, false],
  [499, true],
  [500, false],
])('status %i is a refusal for good: %s', (status, expected) => {
  expect(isClientError(response(status, now))).toBe(expected)
})
