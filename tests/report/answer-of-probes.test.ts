import { expect, test } from 'vitest'
import type { ProbeId } from '../../src/check/result.ts'
import { answerOf } from '../../src/report/answer.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'

const pass: RequirementFixture = { id: 'A', verdict: 'pass' }
const observed: RequirementFixture = { id: 'F', verdict: 'observed' }

const limiter = { name: 'limiter', endpoint: 'token' }
const ramp = { name: 'ramp', endpoint: 'token' }
const probed = (observations: Record<string, string | number>, probes: readonly ProbeId[] = [limiter]) => {
  const run = runOf([pass, { ...observed, level: 'silent' }], { kind: 'probe' })
  return {
    ...run,
    requirements: run.requirements.map((one) =>
      one.id === 'F'
        ? { ...one, checks: probes.flatMap((probe) => one.checks.map((check) => ({ ...check, probe }))) }
        : one,
    ),
    observations: Object.entries(observations).map(([key, value]) => ({
      key: `limits.token.limiter.${key}`,
      value,
      requirement: 'F',
      check: 'limiter of token',
      measured: { endpoint: 'token', source: 'limiter', figure: key },
    })),
  }
}

test.for<[Record<string, string | number>, string]>([
  [
    { kind: 'fixed-window', capacity: 30, 'window-ms': 10_000 },
    'token: fixed window, 30 requests per 10.0 s.',
  ],
  [
    { kind: 'token-bucket', capacity: 5, 'rate-per-second': 0.5 },
    'token: token bucket, 5 requests at once, 0.5 requests/s.',
  ],
  [
    { kind: 'not-throttled' },
    'token: no request was throttled within LOAD_MAX_RATE and LOAD_MAX_REQUESTS; a higher limit may exist.',
  ],
  [{ kind: 'not-identified' }, 'token: limiter not identified.'],
])('%j: the answer is the measurement', ([observations, sentence]) => {
  expect(answerOf(probed(observations))).toEqual({
    tone: 'none',
    question: 'What did the probe measure?',
    sentence,
    state: 'The only checked requirement holds; 1 more is observed.',
    basis: 'This probe run does not decide on a release.',
  })
})

test('the answer names the other probes', () => {
  const run = probed({ kind: 'not-throttled' }, [limiter, ramp])
  expect(answerOf(run)).toMatchObject({
    question: 'What did the probes measure?',
    sentence:
      'token: no request was throttled within LOAD_MAX_RATE and LOAD_MAX_REQUESTS; a higher limit may exist. Also measured: ramp of token.',
  })
  const others = [ramp, { name: 'recovery', endpoint: 'token' }, { name: 'hold', endpoint: 'userinfo' }]
  expect(answerOf(probed({}, others)).sentence).toBe('Probed: ramp and recovery of token, hold of userinfo.')
  expect(answerOf(probed({}, [ramp])).sentence).toBe('Probed: ramp of token.')
})

test('a policy about probes decides', () => {
  const answer = answerOf(probed({}), { noDecision: 'the run is of uat', kind: 'probe' })
  expect(answer.sentence).toBe('Release: not decided, because the run is of uat.')
})
