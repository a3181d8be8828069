import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { Progress } from '../../src/run/progress.ts'
import { outcomes, requirements } from '../results/fixture/synthetic.ts'

function progressOf(requests: number, requestsPerSecond: number, waits = '') {
  const stream = new PassThrough().setEncoding('utf8') as unknown as NodeJS.WriteStream & PassThrough
  const expected = { requests, requestsPerSecond, waits }
  const progress = new Progress(stream, requirements, { requestCap: 500, loginCap: 15, expected })
  return { progress, written: () => String(stream.read()) }
}

test('the pace of a target that throttles is announced, and again after each large change', () => {
  const [example] = outcomes
  if (!example) throw new Error('the synthetic run has no check')
  const { progress, written } = progressOf(61, 5)
  const used = { requests: 1, logins: 0, throttled: 1 }
  progress.checkEnds(example, { ...used, throttled: 0 })
  for (const pace of [2.5, 2.6, 1.25, 1.3, 1.6]) progress.checkEnds(example, { ...used, pace })
  progress.checkEnds(example, { ...used, requests: 70, pace: 2.1 })
  expect(written().match(/.*requests\/s.*/g)).toEqual([
    'the target throttles: Plumbline now sends at most 2.5 requests/s, and stops sending after it has waited 15 min in total; at least 24.0 s left',
    'Plumbline now sends at most 1.25 requests/s; at least 48.0 s left',
    'Plumbline now sends at most 1.6 requests/s; at least 37.5 s left',
    'Plumbline now sends at most 2.1 requests/s',
  ])
})

test('a check that begins to wait long is shown with the reason, and the estimate states the longest waits', () => {
  const [example] = outcomes
  if (!example) throw new Error('the synthetic run has no check')
  const waits = 'up to 10 min for a code to expire (CODE_LIFETIME)'
  const { progress, written } = progressOf(161, 5, waits)
  progress.start()
  progress.checkStarts(example.requirement)
  progress.waits(4999, 'until something')
  progress.waits(600_000, 'until a code has expired (CODE_LIFETIME)')
  const text = written()
  expect(text).toMatch(
    /^estimate: about 161 requests, which take 32.2 s at 5 requests\/s, plus up to 10 min for a code/,
  )
  expect(text).toMatch(
    new RegExp(`${example.requirement} waits 10 min 0 s until a code has expired \\(CODE_LIFETIME\\)\n$`),
  )
  expect(text).not.toContain('until something')
  const { progress: unlimited, written: writtenWithout } = progressOf(1, Number.POSITIVE_INFINITY, waits)
  unlimited.start()
  expect(writtenWithout()).toMatch(
    /^estimate: up to 10 min for a code to expire \(CODE_LIFETIME\), in addition to/,
  )
})

test('a run with a pace begins with the least time that it takes', () => {
  const { progress, written } = progressOf(161, 5)
  progress.start()
  expect(written()).toMatch(/^estimate: about 161 requests, which take 32.2 s at 5 requests\/s\n/)
  const { progress: unlimited, written: writtenWithout } = progressOf(161, Number.POSITIVE_INFINITY)
  unlimited.start()
  expect(writtenWithout()).toMatch(/^Checks by area/)
})
