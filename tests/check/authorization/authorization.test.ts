import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../../../src/browser/index.ts'
import { landingSentence } from '../../../src/check/authorization/landing-text.ts'
import { type CheckContext, createContext } from '../../../src/check/fixtures.ts'
import { RunContext } from '../../../src/check/run-context.ts'
import { Inconclusive } from '../../../src/check/verdict.ts'
import { site } from '../../http/site.ts'
import { targetAt } from '../run-fixture.ts'

let browser: LaunchedBrowser

beforeAll(async () => {
  browser = await launchBrowser({ hosts: ['127.0.0.1:*'] })
})

afterAll(async () => {
  await browser?.close()
})

/** An authorization request to a server with these outcomes in order; the last one repeats. */
async function authorized(outcomes: readonly string[], headers: Readonly<Record<string, string>> = {}) {
  const server = await site((response, { url }, number) => {
    const back = new URL(new URL(url, 'http://server').searchParams.get('redirect_uri') ?? '')
    back.search = outcomes[Math.min(number, outcomes.length) - 1] ?? ''
    response.writeHead(302, { Location: back.href, ...headers }).end()
  })
  const context = contextFor(server.url().origin)
  const outcome = await context.authorization.authorize('new-login').then(
    ({ landing }) => landingSentence(landing),
    (error: unknown) => error,
  )
  return { outcome, sentAt: server.log.map(({ at }) => at), requests: server.log.length }
}

function contextFor(origin: string): CheckContext {
  const run = new RunContext({ target: targetAt(origin), openAgent: browser.openAgent })
  const context = createContext(run, 'TEST-MUST')
  onTestFinished(async () => {
    await context.execution.close()
    await run.close()
  })
  return context
}

describe('an authorization request', () => {
  test.each(['server_error', 'temporarily_unavailable'])('is repeated once after %s', async (error) => {
    const { outcome, sentAt, requests } = await authorized([`error=${error}`, 'code=abc'])
    expect(outcome).toBe('it was redirected with a code')
    expect(requests).toBe(2)
    const [first = 0, second = 0] = sentAt
    expect(second - first).toBeGreaterThanOrEqual(500)
  })

  test('is inconclusive after the second transient error, and reveals no secret', async () => {
    const { outcome, sentAt } = await authorized(['error=temporarily_unavailable'])
    expect(outcome).toBeInstanceOf(Inconclusive)
    expect((outcome as Inconclusive).cause).toBe('environment')
    expect(sentAt).toHaveLength(2)
  })

  test('waits until Retry-After of the redirect has elapsed', async () => {
    const { sentAt } = await authorized(['error=temporarily_unavailable', 'code=abc'], { 'Retry-After': '2' })
    const [first = 0, second = 0] = sentAt
    expect(second - first).toBeGreaterThanOrEqual(2000)
  })

  test.each([
    'invalid_request',
    'unauthorized_client',
    'access_denied',
    'unsupported_response_type',
    'invalid_scope',
    'interaction_required',
    'login_required',
    'consent_required',
    'unmet_authentication_requirements',
  ])('is not repeated after %s', async (error) => {
    const { outcome, sentAt } = await authorized([`error=${error}`, 'code=abc'])
    expect(outcome).toBe(`it was redirected with error=${error}`)
    expect(sentAt).toHaveLength(1)
  })
})

describe('an authorization request that receives 403', () => {
  const blocked = 'it ended at a page with status 403'

  test('is repeated, since a gateway may have blocked it for a short time', async () => {
    const { landings, requests } = await authorizedAfterBlock({ accepted: 1, blocked: 2 }, 2)
    expect(landings).toEqual(['it was redirected with a code', 'it was redirected with a code'])
    expect(requests).toBe(4)
  })

  test('is repeated at most twice, and later ones not at all after three refusals', async () => {
    const { landings, requests } = await authorizedAfterBlock({ accepted: 1, blocked: 99 }, 5)
    expect(landings).toEqual(['it was redirected with a code', blocked, blocked, blocked, blocked])
    expect(requests).toBe(1 + 3 * 3 + 1)
  })

  test('is not repeated before the host has accepted a request', async () => {
    const { landings, requests } = await authorizedAfterBlock({ accepted: 0, blocked: 1 }, 1)
    expect({ landings, requests }).toEqual({ landings: [blocked], requests: 1 })
  })
})

/** Sends authorization requests to a provider that returns codes, and 403 to some requests after the first ones. */
async function authorizedAfterBlock(
  { accepted, blocked }: { readonly accepted: number; readonly blocked: number },
  count: number,
) {
  const server = await site((response, { url }, number) => {
    const back = new URL(new URL(url, 'http://server').searchParams.get('redirect_uri') ?? '')
    back.search = 'code=abc'
    if (number > accepted && number <= accepted + blocked)
      response.writeHead(403, { 'Content-Type': 'text/html' }).end('<p>blocked</p>')
    else response.writeHead(302, { Location: back.href }).end()
  })
  const { run, authorization } = contextFor(server.url().origin)
  vi.spyOn(run.budget, 'pauseFor').mockReturnValue(undefined)
  const landings: string[] = []
  for (let sent = 0; sent < count; sent += 1)
    landings.push(landingSentence((await authorization.authorize('new-login')).landing))
  return { landings, requests: server.log.length }
}

describe('the first authorization', () => {
  test('is repeated once, in a new window, if the target was unavailable', async () => {
    const { context, log } = await withOutages(2)
    expect((await context.authorization.firstCode()).code).toBe('abc')
    expect(log).toHaveLength(3)
    expect(log[2]?.url).not.toBe(log[1]?.url)
  })

  test('is repeated once if a gateway may have blocked it', async () => {
    const { context, log } = await withOutages(1, 403)
    expect((await context.authorization.firstCode()).code).toBe('abc')
    expect(log).toHaveLength(2)
  })

  test('is not repeated a second time', async () => {
    const { context, log } = await withOutages(9)
    await expect(context.authorization.firstCode()).rejects.toMatchObject({ cause: 'environment' })
    expect(log).toHaveLength(4)
  })
})

test('after five logins that did not return to the application, a run starts no other one', async () => {
  const { context, log } = await withOutages(0)
  context.run.failedLogins = 4
  await context.authorization.authorize('new-login')
  context.run.failedLogins = 5
  await expect(context.authorization.authorize('new-login')).rejects.toThrow(
    'the last 5 logins did not return to the application',
  )
  expect(log).toHaveLength(1)
})

/** A provider whose first responses have a status, and that then signs in every user without a page. */
async function withOutages(outages: number, status = 502) {
  const server = await site((response, { url }, number) => {
    const back = new URL(new URL(url, 'http://server').searchParams.get('redirect_uri') ?? '')
    back.search = 'code=abc'
    if (number <= outages) response.writeHead(status, { 'Content-Type': 'text/html' }).end('<p>down</p>')
    else response.writeHead(302, { Location: back.href }).end()
  })
  return { context: contextFor(server.url().origin), log: server.log }
}
