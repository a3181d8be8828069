import { expect, test } from 'vitest'
import { executeCheck } from '../../../src/check/execute.ts'
import { loadSuites } from '../../../src/check/suites.ts'
import { openRun } from '../../check/run-fixture.ts'
import { answer, inTurn } from '../../http/site.ts'

const note = 'Retry-After of a 503 is an HTTP-date; seconds are documented for throttled responses'
const noted = [{ text: note }]

test.each<[string, string, (now: number) => string, object]>([
  ['a service that fails', 'server_error', (now) => new Date(now + 1000).toUTCString(), noted],
  ['overload', 'temporarily_unavailable', (now) => new Date(now + 1000).toUTCString(), noted],
  ['a service that fails, in seconds', 'server_error', () => '0', []],
])('a date in Retry-After of a 503 is a note: %s', async (_, error, retryAfter, notes) => {
  const body = JSON.stringify({ error })
  const { run, server } = await openRun((...parts) =>
    inTurn(answer(503, { 'Retry-After': retryAfter(Date.now()) }, body), answer(200))(...parts),
  )
  await run.http.send({ method: 'GET', url: server.url(), retry: 'safe' })
  const { checks } = await loadSuites()
  const check = checks.find(({ requirement }) => requirement === 'PLATFORM-RETRY-AFTER')
  if (!check) throw new Error('there is no such check')
  const result = await executeCheck(check, run)
  expect(result).toMatchObject({ verdict: 'not-applicable', notes })
})
