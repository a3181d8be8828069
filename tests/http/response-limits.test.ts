import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { HttpFailure } from '../../src/http/failures.ts'
import { type Answer, siteWithClient } from './site.ts'

/** What a request comes to: the failure, or the status of the response. */
async function fetchOutcome(answer: Answer, maxMembers?: number) {
  const { url, http } = await siteWithClient(answer)
  const request = { method: 'GET', url: url('/'), retry: 'after-429-or-503' } as const
  const sent = http.send(maxMembers === undefined ? request : { ...request, maxMembers })
  return sent.then(
    ({ status }) => status,
    (error) => {
      if (!(error instanceof HttpFailure)) throw error
      return `${error.kind}: ${error.message}`
    },
  )
}

const json =
  (body: string | Buffer, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(200, { 'Content-Type': 'application/json', ...headers }).end(body)

describe('a response beyond what any lawful one holds is a failure of the environment', () => {
  test.each<readonly [string, Answer, RegExp]>([
    ['a body without end', endless, /^unavailable: the response is larger than 8388608 bytes$/],
    [
      'a small body that unpacks to a large one',
      json(gzipSync(Buffer.alloc(20_000_000, ' ')), { 'Content-Encoding': 'gzip' }),
      /^unavailable: the response is larger/,
    ],
    ['deep JSON', json('['.repeat(500_000)), /^unavailable: the JSON of the response nests deeper than 64/],
    [
      'half a million members',
      json(manyMembers(500_000)),
      /^unavailable: the JSON of the response contains more/,
    ],
  ])('%s', async (_what, answer, failure) => {
    expect(await fetchOutcome(answer)).toMatch(failure)
  })

  test('a request that expects a large page may ask for more members', async () => {
    expect(await fetchOutcome(json(manyMembers(20_000)), 100_000)).toBe(200)
    expect(await fetchOutcome(json(manyMembers(20_000)))).toMatch(/contains more than/)
  })

  test('what only begins like JSON is left to the check', async () => {
    expect(await fetchOutcome(json(`<p>${'['.repeat(5000)}`))).toBe(200)
  })
})

test('a run reads no more than its share in all', async () => {
  const { url, http } = await siteWithClient(json(`"${'a'.repeat(600)}"`), {}, { maxBytes: 1000 })
  const get = () => http.send({ method: 'GET', url: url('/'), retry: 'after-429-or-503' })
  await get()
  await get()
  await expect(get()).rejects.toMatchObject({
    kind: 'unavailable',
    message: /exceed the size limit of a run/,
  })
})

describe('an endpoint that does not respond', () => {
  test('receives no request after three time-outs in a row, and others do', async () => {
    const { url, log, http } = await siteWithClient(
      (response, request) => {
        if (request.url === '/other') response.end('{}')
      },
      {},
      { timeoutMs: 200 },
    )
    const get = (path: string) => http.send({ method: 'GET', url: url(path), retry: 'after-429-or-503' })
    for (let time = 1; time <= 3; time += 1)
      await expect(get('/silent')).rejects.toMatchObject({ kind: 'timed-out' })
    const refused = await get('/silent?page=2').catch((error: HttpFailure) => error.message)
    expect(refused).toMatch(
      /\/silent did not respond 3 times in a row, so this run sends it no further request$/,
    )
    expect((await get('/other')).status).toBe(200)
    expect(log.filter(({ url: path }) => path.startsWith('/silent'))).toHaveLength(3)
  })

  test('is tried without limit by a caller that retries by itself', async () => {
    const { log, get } = await siteWithClient(() => undefined, {}, { timeoutMs: 100 })
    for (let time = 1; time <= 5; time += 1) await get('/', 'never').catch(() => undefined)
    expect(log).toHaveLength(5)
  })
})

function endless(...[response]: Parameters<Answer>): void {
  response.writeHead(200)
  const chunk = Buffer.alloc(1024 * 1024, ' ')
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more)
  more()
}

function manyMembers(count: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 1])))
}
