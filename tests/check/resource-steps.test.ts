import { expect, test } from 'vitest'
import { ResourceSteps } from '../../src/check/resource-steps.ts'
import type { Tokens } from '../../src/check/tokens/issued-tokens.ts'
import type { TokenSteps } from '../../src/check/tokens/token-steps.ts'
import { HttpResponse } from '../../src/http/response.ts'
import { openRun } from './run-fixture.ts'

/** Steps whose first access token was announced for 60 s; UserInfo refuses it with a status, and accepts the next one. */
async function stepsWith({ receivedAt, status }: { receivedAt: number; status: number }) {
  const { run } = await openRun()
  run.provider.userinfo = async (token) => new HttpResponse(token === 'first' ? status : 200, {}, '')
  const first: Pick<Tokens, 'accessToken' | 'receivedAt' | 'response'> = {
    accessToken: 'first',
    receivedAt,
    response: new HttpResponse(200, {}, '{"expires_in":60}'),
  }
  const keeper = {
    accessToken: 'next',
    call: (ask: (token: string) => Promise<HttpResponse>) => ask('next'),
  }
  const tokens = { first: async () => first, keeper: async () => keeper }
  return new ResourceSteps(run, { tokens: tokens as unknown as TokenSteps })
}

test('a status other than 401 for a token whose lifetime has ended does not count as the refusal of a valid one', async () => {
  const steps = await stepsWith({ receivedAt: Date.now() - 61_000, status: 403 })
  expect((await steps.userinfo()).status).toBe(200)
})

test('for a token that cannot have expired, it does', async () => {
  const steps = await stepsWith({ receivedAt: Date.now(), status: 403 })
  expect((await steps.userinfo()).status).toBe(403)
})

test('introspection that is not at the documented address is reported with the address in discovery', async () => {
  const { run } = await openRun()
  const listed = 'https://login.example.com/introspect'
  run.provider.introspection = async () => new HttpResponse(404, {}, '')
  run.provider.discovery = async () =>
    new HttpResponse(200, {}, JSON.stringify({ introspection_endpoint: listed }))
  const tokens = { keeper: async () => ({ accessToken: 'a' }) } as unknown as TokenSteps
  const unavailable = new ResourceSteps(run, { tokens }).availableIntrospection()
  await expect(unavailable).rejects.toMatchObject({
    name: 'NotApplicable',
    message: expect.stringMatching(
      /oauth20\/introspect is 404, .*; discovery lists "https:\/\/login\.example\.com\/introspect", which Plumbline does not use/,
    ),
  })
})
