import { expect, test } from 'vitest'
import { executeCheck } from '../../src/check/execute.ts'
import { requireFirstFinding } from '../../src/check/first-finding.ts'
import type { HttpRequest } from '../../src/http/request.ts'
import { definition, openRun } from './run-fixture.ts'

interface Answer {
  readonly status: number
  readonly type?: string
}

interface Options {
  readonly checks?: number
  /** Whether the server accepts a request before the checks. */
  readonly accepted?: boolean
  readonly retry?: HttpRequest['retry']
}

const served: Answer = { status: 200 }
const page: Answer = { status: 403, type: 'text/html' }

/**
 * Executes checks, each of which requires status 200 of `/checked` and has a finding of one cause, at a server that returns
 * these responses there in turn, and serves all other paths.
 */
async function checked(
  answers: readonly Answer[],
  { checks = 1, accepted = true, retry = 'safe' }: Options = {},
) {
  const left = [...answers]
  const { run, server } = await openRun((response, { url }) => {
    const { status, type = 'application/json' } = (url === '/checked' && left.shift()) || served
    response.writeHead(accepted ? status : 403, { 'content-type': type }).end('{}')
  })
  const send = (path: string) => run.http.send({ method: 'GET', url: server.url(path), retry })
  if (accepted) await send('/first')
  const check = definition(async ({ expect: expected }) => {
    const judged = await send('/checked')
    // The host does not refuse every request.
    await send('/other')
    if (judged.status !== 200) requireFirstFinding(run, 'a cause', 'TOKEN-CODE-EXCHANGE')
    expected.status(judged, 200)
  })
  const results = []
  for (let done = 0; done < checks; done += 1) results.push(await executeCheck(check, run))
  const sent = server.log.filter(({ url }) => url === '/checked').length
  return { run, results, verdicts: results.map(({ verdict }) => verdict), sent }
}

test('a check whose request a gateway has blocked for a short time is inconclusive', async () => {
  const { run, results, sent } = await checked([page])
  expect(results).toMatchObject([
    {
      verdict: 'inconclusive',
      cause: 'throttled',
      finding: null,
      reason: expect.stringMatching(
        /the response was 403 .*, and the response to the same request is now 200 .*$/,
      ),
    },
  ])
  // That of the check, the same request again, and that of the repeated check.
  expect(sent).toBe(3)
  // Its finding explains no other one.
  expect(run.firstFindings.size).toBe(0)
})

test('a violation that the repeated check finds in another response stands', async () => {
  const { results } = await checked([page, served, { status: 202 }])
  expect(results).toMatchObject([{ verdict: 'fail', finding: { actual: expect.stringMatching(/202/) } }])
})

test('at most three refusals of a run are excused', async () => {
  const blockedOnce = [page, served, served]
  const { verdicts } = await checked([...blockedOnce, ...blockedOnce, ...blockedOnce, page], { checks: 4 })
  expect(verdicts).toEqual(['inconclusive', 'inconclusive', 'inconclusive', 'fail'])
})

test('a refusal that is the same later violates the requirement, and at most three are sent again', async () => {
  const { verdicts, sent } = await checked(Array(20).fill(page), { checks: 5 })
  expect(verdicts).toEqual(Array(5).fill('fail'))
  expect(sent).toBe(5 + 3)
})

test.each<[string, Answer, Options]>([
  ['with another status', { ...page, status: 400 }, {}],
  ['with JSON', { status: 403 }, {}],
  ['of a request that changes something', page, { retry: 'after-429-or-503' }],
  ['of a host that has accepted no request', page, { accepted: false }],
])('a refusal %s is not sent again', async (_, answer, options) => {
  const { verdicts, sent } = await checked([answer], options)
  expect(verdicts).toEqual(['fail'])
  expect(sent).toBe(1)
})
