import { expect, test } from 'vitest'
import type { Shot } from '../../load/engine/shot.ts'
import type { Findings } from '../../load/probes/probe.ts'
import { dropUnprovenObservations } from '../../load/run-steps.ts'

const shots = (...statuses: readonly number[]): Shot[] =>
  statuses.map((status, index) => ({ intendedAt: index, sentAt: index, endedAt: index + 0.5, status }))

const anatomy: Findings = { finding: 'none of 3 requests was throttled', observations: { throttled: false } }
const limiter: Findings = {
  finding: 'not identified: the budget ran out.',
  observations: { kind: 'not-identified' },
  limiter: {
    result: 'not-identified',
    reason: 'the budget ran out',
    known: { kinds: [], sentences: [] },
    requests: 3,
    elapsedMs: 3,
  },
}

test.each([
  ['a 429', limiter, [200, 429], true],
  ['a 403 after accepted requests, to the probe limiter', limiter, [200, 200, 403], true],
  ['no 403 from the first request on', limiter, [403, 403], false],
  ['no 403 to another probe', anatomy, [200, 200, 403], false],
  ['no accepted request', limiter, [200, 200], false],
])('a probe that ended early has observed a limit by %s', (_, findings, statuses, isKept) => {
  const expected = isKept ? findings : { ...findings, observations: {} }
  expect(dropUnprovenObservations(findings, shots(...statuses))).toEqual(expected)
})

test('without a request it has no result', () => {
  expect(dropUnprovenObservations(limiter, [])).toEqual({ finding: 'no request was sent', observations: {} })
})
