import { describe, expect, test, vi } from 'vitest'
import { executeCheck } from '../../src/check/execute.ts'
import type { RunContext } from '../../src/check/run-context.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import type { Target } from '../../src/target/target.ts'
import { definition, openRun } from './run-fixture.ts'

interface Response {
  readonly status: number
  readonly type: string
  /** By default an empty object or page. */
  readonly body?: string
}

interface Options {
  /** The path of the request whose response the check judges. */
  readonly path?: string
  /** Responses to the requests after the first one. */
  readonly later: (path: string) => Response
  /** Whether the first request is accepted. */
  readonly served?: boolean
  /** Whether valid requests were accepted before. */
  readonly worked?: boolean
  /** The status that the check expects. */
  readonly expects?: number
  readonly target?: Partial<Target>
}

const page = (status: number): Response => ({ status, type: 'text/html' })
const json = (status: number): Response => ({ status, type: 'application/json' })
const text = (status: number): Response => ({ status, type: 'text/plain' })
const oauthError = (status: number): Response => ({ ...json(status), body: '{"error":"invalid_request"}' })

const discovery = '/.well-known/openid-configuration'
const unknown = '/events/plumbline-no-such-resource'

/** Executes a check at a server that accepts only the first request. */
async function judged({
  path = '/checked',
  later,
  served = true,
  worked = false,
  expects = 418,
  target = {},
}: Options) {
  const { run, server } = await openRun((response, { url }, number) => {
    const { status, type, body } = number === 1 && served ? json(200) : later(url.split('?')[0] ?? '')
    response
      .writeHead(status, { 'content-type': type })
      .end(body ?? (type === 'application/json' ? '{}' : '<p>'))
  }, target)
  noWaits(run)
  const send = (to: string) => run.http.send({ method: 'GET', url: server.url(to), retry: 'safe' })
  await send('/first')
  if (worked)
    for (const control of ['discovery', 'authorization', 'event search'] as const)
      run.controls.worked(control)
  const result = await executeCheck(
    definition(async ({ expect: expected }) => expected.status(await send(path), expects)),
    run,
  )
  return { run, server, result, sent: server.log.slice(2).map(({ url }) => url) }
}

/** The valid request is repeated without a wait. */
function noWaits({ budget }: RunContext): void {
  vi.spyOn(budget, 'pauseFor').mockReturnValue(undefined)
}

function later(run: RunContext) {
  return executeCheck(
    definition(async () => void (await run.provider.discovery())),
    run,
  )
}

describe('a gateway responds in place of a host', () => {
  test.each([
    ['with 403 on a page', page(403), {}],
    ['with 403 in JSON', json(403), {}],
    ['with another refusal on a page', page(400), {}],
    ['with 401 on a page', page(401), {}],
    ['with 401 in JSON', json(401), {}],
    ['with 400 in plain text', text(400), {}],
    ['with 404 in JSON, after a valid request was accepted', json(404), { worked: true }],
    ['with a redirect on a page, after a valid request was accepted', page(302), { worked: true }],
    ['with status 200 in plain text, after a valid request was accepted', text(200), { worked: true }],
    ['with 404 on a page, after a valid request was accepted', page(404), { worked: true }],
    ['with status 200 on a page, after a valid request was accepted', page(200), { worked: true }],
  ])('if it responds alike to a valid request and to an unknown path: %s', async (_, response, options) => {
    const { result, sent } = await judged({ later: () => response, ...options })
    expect(result).toMatchObject({ verdict: 'inconclusive', cause: 'throttled', finding: null })
    expect(result.exchanges).toHaveLength(5)
    expect(sent).toEqual([discovery, discovery, discovery, unknown])
  })

  test('and the remaining checks of the host send nothing', async () => {
    const { run, server, result } = await judged({ later: () => page(403) })
    expect(result.reason).toBe(
      'a gateway seems to block this machine or the service: the response of the identity provider to every request is 403 with an HTML page, although it accepted requests earlier in the run',
    )
    expect(result.advice).toMatch(/REQUESTS_PER_SECOND/)
    const { length } = server.log
    expect(await later(run)).toMatchObject({ verdict: 'inconclusive', reason: result.reason })
    expect(server.log).toHaveLength(length)
  })

  test('of the partner API', async () => {
    const { result, sent } = await judged({ path: '/partner/events', later: () => page(403) })
    expect(result.reason).toMatch(/the response of the partner API to every request is 403/)
    const search = expect.stringMatching(/^\/partner\/events\/search\?from=.+&to=.+&page=0&pageSize=10$/)
    expect(sent).toEqual([search, search, search, `/partner${unknown}`])
  })
})

describe('a refused authorization request is compared with a valid one', () => {
  const authorize = '/mga/sps/oauth/oauth20/authorize'
  const unknownBelow = `${authorize}${unknown}`

  test.each([
    [
      'and an unknown path below',
      [authorize, unknownBelow],
      'throttled',
      /^a gateway seems to block this machine/,
    ],
    [
      'alone',
      [authorize],
      'environment',
      /^the identity provider now refuses valid authorization requests \(403 /,
    ],
  ])('which is refused, too, %s', async (_, blocked, cause, reason) => {
    const { result, sent } = await judged({
      path: `${authorize}?scope=invalid`,
      later: (path) => (blocked.includes(path) ? page(403) : json(200)),
      worked: true,
    })
    expect(result).toMatchObject({ verdict: 'inconclusive', cause, reason: expect.stringMatching(reason) })
    const valid = expect.stringMatching(/\/authorize\?response_type=code&.*&code_challenge_method=S256/)
    expect(sent).toEqual([valid, valid, valid, unknownBelow])
  })

  test('but not before a valid one was accepted', async () => {
    const { result, sent } = await judged({
      path: `${authorize}?scope=invalid`,
      later: (path) => (path === authorize ? page(400) : json(200)),
    })
    expect(result).toMatchObject({ verdict: 'fail' })
    expect(sent).toEqual([discovery])
  })

  test('which is accepted', async () => {
    let count = 0
    const { result, sent } = await judged({
      path: `${authorize}?scope=invalid`,
      later: () => {
        count += 1
        return count === 1 ? page(400) : json(200)
      },
      worked: true,
    })
    expect(result).toMatchObject({ verdict: 'fail' })
    expect(sent).toHaveLength(1)
  })
})

describe('a violation remains one', () => {
  const except =
    (path: string, response: Response): Options['later'] =>
    (requested) =>
      requested === path ? response : page(403)

  test.each<[string, Options]>([
    ['if a valid request is accepted', { later: except(discovery, json(200)) }],
    ['if a valid request is refused with another status', { later: except(discovery, page(400)) }],
    ['if an unknown path is unknown', { later: except(unknown, page(404)) }],
  ])('%s', async (_, options) => {
    expect((await judged(options)).result).toMatchObject({ verdict: 'fail' })
  })

  test.each<[string, Options]>([
    ['before the host has accepted a request', { later: () => page(403), served: false }],
    ['with 404 on a page before a valid request was accepted', { later: () => page(404) }],
    ['with status 200 on a page before a valid request was accepted', { later: () => page(200) }],
    ['with a redirect on a page before a valid request was accepted', { later: () => page(302) }],
    ['with an OAuth error', { later: () => oauthError(400), worked: true }],
    ['with JSON and status 200', { later: () => json(200), worked: true }],
    [
      'with 401 of the partner API before a valid search was accepted',
      { path: '/partner/events', later: () => json(401) },
    ],
    [
      'at an address of another host',
      { later: () => page(400), worked: true, target: { issuer: 'http://127.0.0.1:1' } },
    ],
  ])('and nothing more is sent: %s', async (_, options) => {
    const { result, sent } = await judged(options)
    expect(result).toMatchObject({ verdict: 'fail' })
    expect(sent).toEqual([])
  })
})

test('a gateway may choose the media type of its refusals', async () => {
  const { result } = await judged({ later: (path) => (path === discovery ? json(403) : page(403)) })
  expect(result).toMatchObject({ verdict: 'inconclusive', cause: 'throttled' })
})

test('a host that has served a request since does not refuse all', async () => {
  const { run, server } = await openRun((response, _, number) => {
    response.writeHead(number === 2 ? 400 : 200, { 'content-type': 'application/json' }).end('{}')
  })
  const send = () => run.http.send({ method: 'GET', url: server.url('/checked'), retry: 'safe' })
  await send()
  const check = definition(async ({ expect: expected }) => {
    const refused = await send()
    await send()
    expected.status(refused, 418)
  })
  expect(await executeCheck(check, run)).toMatchObject({ verdict: 'fail' })
  expect(server.log).toHaveLength(3)
})

test('an expected refusal is not examined', async () => {
  const { result, sent } = await judged({ later: () => page(403), expects: 403 })
  expect(result).toMatchObject({ verdict: 'pass' })
  expect(sent).toEqual([])
})

test('a page that was retried is not the judged response', async () => {
  let count = 0
  const { result, sent } = await judged({
    later: () => {
      count += 1
      return count === 1 ? page(503) : oauthError(400)
    },
    worked: true,
  })
  expect(result).toMatchObject({ verdict: 'fail' })
  expect(sent).toEqual(['/checked'])
})

test('a partner API begins to refuse the credentials of the partner', async () => {
  const { result, sent } = await judged({
    path: '/partner/events',
    later: () => json(401),
    worked: true,
  })
  expect(result).toMatchObject({ verdict: 'inconclusive', cause: 'environment' })
  expect(result.advice).toMatch(/whether the secret of PARTNER_CLIENT_ID expired/)
  expect(result.reason).toMatch(/^the partner API refuses valid searches \(401 .*\) that it accepted earlier/)
  expect(sent).toEqual(Array(3).fill(expect.stringMatching(/^\/partner\/events\/search\?/)))
})

describe('after an inconclusive check', () => {
  /** Executes checks that need 200 from a path at a server that accepts only the first request. */
  async function undecided(paths: readonly string[], later: (path: string) => Response) {
    const { run, server } = await openRun((response, { url = '' }, number) => {
      const { status, type } = number === 1 ? json(200) : later(url)
      response.writeHead(status, { 'content-type': type }).end('{}')
    })
    noWaits(run)
    const send = (path: string) => run.http.send({ method: 'GET', url: server.url(path), retry: 'safe' })
    await send('/first')
    for (const path of paths) {
      const check = definition(async () => {
        if ((await send(path)).status !== 200) throw new Inconclusive('the valid request was refused')
      })
      await executeCheck(check, run)
    }
    return { run, sent: server.log.slice(1).map(({ url }) => url) }
  }

  test('a gateway is recognised, too', async () => {
    const { run, sent } = await undecided(['/checked', '/checked'], () => page(403))
    expect(run.unusableHosts['identity-provider']).toMatchObject({ cause: 'throttled' })
    expect(sent).toEqual(['/checked', discovery, discovery, discovery, unknown])
  })

  test('the valid request is sent once for each address and status', async () => {
    const { run, sent } = await undecided(['/checked?n=1', '/checked?n=2', '/other'], (path) =>
      path === discovery ? json(200) : page(403),
    )
    expect(run.unusableHosts).toEqual({})
    expect(sent).toEqual(['/checked?n=1', discovery, '/checked?n=2', '/other', discovery])
  })
})
