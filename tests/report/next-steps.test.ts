import { describe, expect, test } from 'vitest'
import type { Policy } from '../../src/release/policy.ts'
import { neededRun } from '../../src/release/text.ts'
import { nextSteps } from '../../src/report/next-steps.ts'
import type { RunResults } from '../../src/results/results.ts'
import { decided, decidedOn, good, waiver } from '../release/given.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'

const fail: RequirementFixture = { id: 'B', verdict: 'fail' }
const inconclusive = (rest: Partial<RequirementFixture>): RequirementFixture => ({
  id: 'C',
  verdict: 'inconclusive',
  ...rest,
})
/** The commands of the next steps, or their texts. */
const stepsAfter = (
  fixtures: readonly RequirementFixture[],
  ...rest: Parameters<typeof decided> extends [unknown, ...infer Rest] ? Rest : never
) => {
  const decision = decided(fixtures, ...rest)
  return nextSteps(runOf(fixtures), decision).map(({ text, command }) => command ?? text)
}

const check = 'npx plumbline check --target uat'
const doctor = 'npx plumbline doctor --target uat'

describe('the next steps of a release decision', () => {
  test('are none after a yes, or if the decision names the run that the policy needs', () => {
    expect(stepsAfter([good])).toEqual([])
    expect(stepsAfter([fail], {}, [], { selection: { only: ['B'], areas: [] } })).toEqual([])
    expect(stepsAfter([fail], {}, [waiver('B')])).toEqual([])
  })

  test('after a violation are its report, another run, and a waiver', () => {
    expect(stepsAfter([good, fail])).toEqual([
      expect.stringMatching(/^npx plumbline report \S+ --open$/),
      check,
      'To accept a violation for some time, add a waiver (docs/gating.md).',
    ])
  })

  test('after a wrong configuration begin with the doctor, and do not wait for a fix of violations', () => {
    const wrong = inconclusive({ cause: 'configuration', variables: ['TEST_USER'] })
    expect(stepsAfter([good, wrong])).toEqual([doctor, check])
    const steps = nextSteps(runOf([fail, wrong]), decided([fail, wrong]))
    expect(steps.map(({ text }) => text)).toContain('Then check again:')
    // The doctor cannot see that a budget is too small.
    const budget = inconclusive({ cause: 'configuration', variables: ['REQUEST_BUDGET'] })
    expect(stepsAfter([budget])).toEqual([expect.stringMatching(/^You have to act/), check])
  })

  test('ignore what does not block', () => {
    const wrong = inconclusive({ cause: 'configuration', area: 'events' })
    expect(stepsAfter([good, fail, wrong], { areas: ['token'] })).not.toContain(doctor)
  })

  test('repeat the whole check for a temporary reason: the policy accepts no partial run', () => {
    expect(stepsAfter([inconclusive({ cause: 'environment' })])).toEqual([check])
    expect(stepsAfter([inconclusive({ cause: 'environment' })], { areas: ['token'] })).toEqual([
      `${check} --area token`,
    ])
  })

  test('after too few applicable requirements show what turns checks on', () => {
    expect(stepsAfter([good], { minimumApplicable: { overall: 2 } })).toEqual([
      'npx plumbline plan --target uat',
      check,
    ])
  })

  test('allow the effects of the run: otherwise, the next run would not check what this one found', () => {
    const enabled = ['token-destruction', 'planned'] as const
    const withEnable = (command: string) => `ENABLE=token-destruction,planned ${command}`
    const stepsOf = (...[fixtures, policy = {}]: Parameters<typeof stepsAfter>) => {
      const results = runOf(fixtures, { enabled })
      return nextSteps(results, decidedOn(results, policy)).flatMap((step) => step.command ?? [])
    }
    expect(stepsOf([good, fail])).toContain(withEnable(check))
    expect(stepsOf([good], { minimumApplicable: { overall: 2 } })).toEqual([
      withEnable('npx plumbline plan --target uat'),
      withEnable(check),
    ])
    expect(stepsOf([inconclusive({ cause: 'configuration' })])).toEqual([
      withEnable(doctor),
      withEnable(check),
    ])
  })

  test('of an unsuitable run allow its effects only on the same target, and none for a probe', () => {
    const enabled = ['slow'] as const
    const commandAfter = (run: Partial<RunResults['run']>, policy: Partial<Policy> = {}) =>
      neededRun(decided([good], policy, [], { enabled, ...run }))?.command
    expect(commandAfter({ completed: false })).toBe(`ENABLE=slow ${check}`)
    expect(commandAfter({ completed: false }, { areas: ['token'] })).toBe(`ENABLE=slow ${check} --area token`)
    expect(commandAfter({ target: 'embedded' })).toBe(check)
    expect(commandAfter({}, { kind: 'probe' })).toBe('npx plumbline probe --target uat')
  })

  test('after an expired waiver are in its finding', () => {
    expect(stepsAfter([good], {}, [waiver('A', { expires: '2026-11-20' })])).toEqual([])
  })
})
