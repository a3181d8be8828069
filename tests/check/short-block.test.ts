import { expect, test } from 'vitest'
import { executeCheck } from '../../src/check/execute.ts'
import type { HttpRequest } from '../../src/http/request.ts'
import { definition, openRun } from './run-fixture.ts'

interface Answer {
  readonly status: number
  readonly type?: string
  readonly body?: string
}

const served: Answer = { status: 200 }
const page: Answer = { status: 403, type: 'text/html', body: '<p>' }

/**
 * Executes checks, each of which requires status 200 of a request, at a server with the given responses in turn; before
 * them, the server accepts a request unless `accepted` is false.
 */
async function verdictsAfter(
  answers: readonly Answer[],
  { checks = 1, accepted = true, retry = 'safe' as HttpRequest['retry'] } = {},
) {
  const inTurn = accepted ? [served, ...answers] : answers
  const { run, server } = await openRun((response, _, number) => {
    const { status, type = 'application/json', body = '{}' } = inTurn[number - 1] ?? served
    response.writeHead(status, { 'content-type': type }).end(body)
  })
  const send = (path: string) => run.http.send({ method: 'GET', url: server.url(path), retry })
  if (accepted) await send('/first')
  const results = []
  for (let check = 0; check < checks; check += 1)
    results.push(
      await executeCheck(
        definition(async ({ expect: expected }) => {
          const judged = await send('/checked')
          // The host works: it does not refuse every request.
          await send('/other')
          expected.status(judged, 200)
        }),
        run,
      ),
    )
  const sent = server.log.map(({ url }) => url).filter((url) => url !== '/first')
  return { results, sent }
}

test('a check whose request a gateway has blocked for a short time is inconclusive', async () => {
  const { results, sent } = await verdictsAfter([page])
  expect(results).toMatchObject([
    {
      verdict: 'inconclusive',
      cause: 'throttled',
      finding: null,
      reason: expect.stringMatching(
        /the response was 403 .*, and the response to the same request is now 200 /,
      ),
    },
  ])
  expect(sent).toEqual(['/checked', '/other', '/checked'])
})

test('a refusal that is the same later violates the requirement, and is sent again once for each address', async () => {
  const { results, sent } = await verdictsAfter([page, served, page, page, served], { checks: 2 })
  expect(results).toMatchObject([{ verdict: 'fail' }, { verdict: 'fail' }])
  expect(sent).toEqual(['/checked', '/other', '/checked', '/checked', '/other'])
})

test.each<[string, readonly Answer[], Parameters<typeof verdictsAfter>[1]]>([
  ['with another status', [{ ...page, status: 400 }], {}],
  ['with JSON', [{ ...page, type: 'application/json' }], {}],
  ['of a request that changes something', [page], { retry: 'after-429-or-503' }],
  ['of a host that has accepted no request', [page, page], { accepted: false }],
])('a refusal %s is not sent again', async (_, answers, options) => {
  const { results, sent } = await verdictsAfter(answers, options)
  expect(results).toMatchObject([{ verdict: 'fail' }])
  expect(sent).toEqual(['/checked', '/other'])
})
