import { beforeEach, expect, test } from 'vitest'
import type { AuthorizationSteps } from '../../../src/check/authorization/authorization-steps.ts'
import type { RunContext } from '../../../src/check/run-context.ts'
import { ExpirySteps } from '../../../src/check/tokens/expiry-steps.ts'
import type { Tokens } from '../../../src/check/tokens/issued-tokens.ts'
import type { TokenSteps } from '../../../src/check/tokens/token-steps.ts'
import { Inconclusive, NotApplicable } from '../../../src/check/verdict.ts'
import { HttpResponse } from '../../../src/http/response.ts'
import { openRun } from '../run-fixture.ts'

function tokensOf(accessToken: string, lifetime: unknown, receivedAt = Date.now()): Tokens {
  const body = JSON.stringify({ access_token: accessToken, expires_in: lifetime })
  return { response: new HttpResponse(200, {}, body), accessToken, receivedAt } as Tokens
}

let run: RunContext
beforeEach(async () => {
  run = (await openRun(undefined, { longestLifetime: 60 })).run
})

/** Steps whose first exchange returned `first` and whose next one returns `fresh`. */
function expiryOf(first: Tokens, fresh: Tokens): ExpirySteps {
  const tokens = { first: async () => first, tokensFor: async () => fresh }
  const authorization = { code: async () => ({ code: 'code', request: {} }) }
  return new ExpirySteps(run, {
    authorization: authorization as unknown as AuthorizationSteps,
    tokens: tokens as unknown as TokenSteps,
  })
}

/** An endpoint that accepts tokens until they expire, and what it received. */
function endpoint(...valid: readonly Tokens[]) {
  const received: string[] = []
  const send = async (token: string) => {
    received.push(token)
    const known = valid.find(({ accessToken }) => accessToken === token)
    const expiresAt = (known?.receivedAt ?? 0) + 1000 * Number(known?.response.object?.expires_in)
    return new HttpResponse(known && Date.now() < expiresAt ? 200 : 401, {}, '')
  }
  return { received, request: { send, accepts: accepted, control: 'USERINFO-BEARER' as const } }
}

const accepted = ({ status }: HttpResponse) => status === 200

test('a token is sent before and after it expires', async () => {
  const first = tokensOf('first', 1)
  const { received, request } = endpoint(first)
  const expiry = expiryOf(first, tokensOf('fresh', 1))
  expect((await expiry.responseAfter(request)).status).toBe(401)
  expect(received).toEqual(['first', 'first'])
})

test('a new token is sent where the first one has expired, or is not accepted any more', async () => {
  for (const first of [tokensOf('first', 1, Date.now() - 2000), tokensOf('revoked', 30)]) {
    const fresh = tokensOf('fresh', 1)
    const { received, request } = endpoint(fresh)
    const expiry = expiryOf(first, fresh)
    expect((await expiry.responseAfter(request)).status).toBe(401)
    expect(received.slice(-2)).toEqual(['fresh', 'fresh'])
  }
})

test('a refusal proves nothing without its control', async () => {
  const { request } = endpoint()
  const expiry = expiryOf(tokensOf('first', 1), tokensOf('fresh', 1))
  await expect(expiry.responseAfter(request)).rejects.toMatchObject({
    constructor: Inconclusive,
    dependsOn: ['USERINFO-BEARER'],
  })
})

test('a token that lives longer than LONGEST_LIFETIME is not waited for, and nothing is sent', async () => {
  const first = tokensOf('first', 61)
  const { received, request } = endpoint(first)
  await expect(expiryOf(first, first).responseAfter(request)).rejects.toBeInstanceOf(NotApplicable)
  expect(received).toEqual([])
})

test('a lifetime that is not a number is a finding of TOKEN-EXPIRES-IN', async () => {
  const first = tokensOf('first', '60')
  const { request } = endpoint(first)
  await expect(expiryOf(first, first).responseAfter(request)).rejects.toMatchObject({
    dependsOn: ['TOKEN-EXPIRES-IN'],
  })
})
