import { expect, test } from 'vitest'
import { executeCheck } from '../../src/check/execute.ts'
import { definition, openRun } from './run-fixture.ts'

/**
 * A run at a server that refuses some requests after the first one.
 * @param refuses whether it refuses a request for a path
 */
async function runAt(refuses: (path: string) => boolean, { served = true } = {}) {
  const { run, server } = await openRun((response, { url }, number) => {
    if (number === 1 && served) response.end('{}')
    else if (refuses(url)) response.writeHead(403, { 'content-type': 'text/html' }).end('<p>Blocked</p>')
    else response.writeHead(404).end()
  })
  const send = (path: string) => run.http.send({ method: 'GET', url: server.url(path), retry: 'safe' })
  await send('/first')
  const result = await executeCheck(
    definition(async ({ expect: expected }) => expected.status(await send('/checked'), 400)),
    run,
  )
  return { run, server, result }
}

test('a host that refuses a valid request and an unknown path alike blocks this machine', async () => {
  const { run, server, result } = await runAt(() => true)
  expect(result).toMatchObject({ verdict: 'inconclusive', cause: 'throttled', finding: null })
  expect(result.reason).toBe(
    'a gateway seems to block this machine or the service: the response of the identity provider to every request is 403 with an HTML page, although it accepted requests earlier in the run',
  )
  expect(result.advice).toMatch(/REQUESTS_PER_SECOND/)
  expect(result.exchanges).toHaveLength(3)
  const { length } = server.log
  const later = await executeCheck(
    definition(
      async () => void (await run.http.send({ method: 'GET', url: server.url('/later'), retry: 'safe' })),
    ),
    run,
  )
  expect(later).toMatchObject({ verdict: 'inconclusive', reason: result.reason })
  expect(server.log).toHaveLength(length)
})

test.each([
  ['accepts a valid request', (path: string) => !path.includes('.well-known')],
  ['does not know an unknown path', (path: string) => !path.includes('no-such')],
])('a host that %s does not', async (_, refuses) => {
  expect((await runAt(refuses)).result).toMatchObject({ verdict: 'fail' })
})

test('a host that has accepted no request of the run does not', async () => {
  expect((await runAt(() => true, { served: false })).result).toMatchObject({ verdict: 'fail' })
})

test('a partner API that begins to refuse the credentials of the partner', async () => {
  const { run, server } = await openRun((response, _, number) => {
    response.writeHead(number === 1 ? 200 : 401).end('{"error":"UNAUTHORIZED"}')
  })
  run.controls.worked('event search')
  const send = () => run.http.send({ method: 'GET', url: server.url('/partner/events'), retry: 'safe' })
  await send()
  const check = definition(async ({ expect: expected }) => expected.status(await send(), 400))
  expect(await executeCheck(check, run)).toMatchObject({
    verdict: 'inconclusive',
    cause: 'environment',
    reason:
      'the partner API refuses valid searches (401 with error=UNAUTHORIZED) that it accepted earlier in the run',
  })
  expect(server.log.map(({ url }) => url.split('?')[0])).toEqual([
    '/partner/events',
    '/partner/events',
    '/partner/events/search',
  ])
})
