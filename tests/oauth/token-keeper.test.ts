import { describe, expect, test, vi } from 'vitest'
import { HttpResponse } from '../../src/http/response.ts'
import { refusesToken, TokenKeeper } from '../../src/oauth/token-keeper.ts'

const first = { accessToken: 'access-1', refreshToken: 'refresh-1' }
const tokens = (members: object) => new HttpResponse(200, {}, JSON.stringify(members))
const refusal = (challenge: string | undefined, status = 401) =>
  new HttpResponse(status, { 'www-authenticate': challenge }, '')
const invalid = refusal('Bearer error="invalid_token"')
const fine = new HttpResponse(200, {}, '{}')

describe('the newest tokens', () => {
  test.each<readonly [string, object, string]>([
    ['a replaced refresh token replaces the one before', { refresh_token: 'refresh-2' }, 'refresh-2'],
    ['a repeated one stays', { refresh_token: 'refresh-1' }, 'refresh-1'],
    ['an absent one leaves the one before in place', {}, 'refresh-1'],
    ['an empty one is none', { refresh_token: '' }, 'refresh-1'],
    ['null is none', { refresh_token: null }, 'refresh-1'],
  ])('%s', async (_, members, kept) => {
    const send = vi.fn(async () => tokens({ access_token: 'access-2', ...members }))
    const keeper = new TokenKeeper(first, send)
    await keeper.refresh()
    expect([keeper.accessToken, keeper.refreshToken]).toEqual(['access-2', kept])
    await keeper.refresh()
    expect(send.mock.calls).toEqual([['refresh-1'], [kept]])
  })

  test('a rejected refresh keeps the tokens', async () => {
    const keeper = new TokenKeeper(first, async () => new HttpResponse(400, {}, '{"error":"invalid_grant"}'))
    expect((await keeper.refresh())?.status).toBe(400)
    expect([keeper.accessToken, keeper.refreshToken]).toEqual(['access-1', 'refresh-1'])
  })

  test('refreshes in a row use the newest token each, and end with the first that is refused', async () => {
    const send = vi
      .fn(async () => new HttpResponse(400, {}, '{"error":"invalid_grant"}'))
      .mockResolvedValueOnce(tokens({ access_token: 'access-2', refresh_token: 'refresh-2' }))
    expect((await new TokenKeeper(first, send).refreshInARow(3))?.status).toBe(400)
    expect(send.mock.calls).toEqual([['refresh-1'], ['refresh-2']])
    const accepted = vi.fn(async () => tokens({ access_token: 'access-2' }))
    expect((await new TokenKeeper(first, accepted).refreshInARow(3))?.status).toBe(200)
    expect(accepted).toHaveBeenCalledTimes(3)
    const none = new TokenKeeper({ ...first, refreshToken: undefined }, accepted)
    expect(await none.refreshInARow(3)).toBeUndefined()
  })

  test('concurrent callers share one refresh', async () => {
    const send = vi.fn(async () => tokens({ access_token: 'access-2', refresh_token: 'refresh-2' }))
    const keeper = new TokenKeeper(first, send)
    const answers = await Promise.all([keeper.refresh(), keeper.refresh(), keeper.refresh()])
    expect(send).toHaveBeenCalledTimes(1)
    expect(new Set(answers).size).toBe(1)
  })

  test('a refresh that could not be sent is not cached', async () => {
    const send = vi
      .fn(async () => tokens({ access_token: 'access-2' }))
      .mockRejectedValueOnce(new Error('down'))
    const keeper = new TokenKeeper(first, send)
    await expect(keeper.refresh()).rejects.toThrow('down')
    await keeper.refresh()
    expect(keeper.accessToken).toBe('access-2')
  })

  test('keepers share nothing', async () => {
    const [one, two] = [1, 2].map(() => new TokenKeeper(first, async () => tokens({ access_token: 'mine' })))
    await one?.refresh()
    expect([one?.accessToken, two?.accessToken]).toEqual(['mine', 'access-1'])
  })
})

describe('a call whose token is rejected as invalid_token', () => {
  const keeper = (send = vi.fn(async () => tokens({ access_token: 'access-2' }))) => ({
    send,
    keeper: new TokenKeeper(first, send),
  })

  test('is repeated once with a renewed token', async () => {
    const { keeper: kept, send } = keeper()
    const request = vi.fn(async (token: string) => (token === 'access-2' ? fine : invalid))
    expect(await kept.call(request)).toBe(fine)
    expect(request.mock.calls).toEqual([['access-1'], ['access-2']])
    expect(send).toHaveBeenCalledTimes(1)
  })

  test('is not repeated a second time', async () => {
    const { keeper: kept, send } = keeper()
    const request = vi.fn(async () => invalid)
    expect(await kept.call(request)).toBe(invalid)
    expect([request.mock.calls.length, send.mock.calls.length]).toEqual([2, 1])
  })

  test.each<readonly [string, HttpResponse]>([
    ['a success', fine],
    ['a lack of scope', refusal('Bearer error="insufficient_scope"', 403)],
    ['a malformed request', refusal('Bearer error="invalid_request"')],
    ['a refusal without a reason', refusal('Bearer realm="users"')],
    ['a refusal without a challenge', refusal(undefined)],
    ['another scheme', refusal('DPoP error="invalid_token"')],
  ])('but %s is sent unchanged', async (_, answer) => {
    const { keeper: kept, send } = keeper()
    const request = vi.fn(async () => answer)
    expect(await kept.call(request)).toBe(answer)
    expect([request.mock.calls.length, send.mock.calls.length]).toEqual([1, 0])
  })

  test.each<readonly [string, HttpResponse]>([
    ['refused', new HttpResponse(400, {}, '{"error":"invalid_grant"}')],
    ['without a token', tokens({})],
  ])('is not repeated where the refresh is %s', async (_, answer) => {
    const { keeper: kept } = keeper(vi.fn(async () => answer))
    const request = vi.fn(async () => invalid)
    expect(await kept.call(request)).toBe(invalid)
    expect(request).toHaveBeenCalledTimes(1)
  })

  test('is not repeated without a refresh token', async () => {
    const send = vi.fn(async () => fine)
    const request = vi.fn(async () => invalid)
    await new TokenKeeper({ ...first, refreshToken: undefined }, send).call(request)
    expect([request.mock.calls.length, send.mock.calls.length]).toEqual([1, 0])
  })
})

test('invalid_token is read among several challenges', () => {
  expect(refusesToken(refusal('Basic realm="a, b", bEaReR realm="c", Error=invalid_token'))).toBe(true)
  expect(refusesToken(refusal('Basic realm="Bearer error=invalid_token"'))).toBe(false)
})
