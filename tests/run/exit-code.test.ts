import { expect, test } from 'vitest'
import type { Cause } from '../../src/check/verdict.ts'
import { compare } from '../../src/compare/compare.ts'
import type { Stopped } from '../../src/results/results-file.ts'
import { exitCodeOfRun, exitCodeWithDrift } from '../../src/run/exit-code.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'

const pass: RequirementFixture = { id: 'A', verdict: 'pass' }
const observed: RequirementFixture = { id: 'B', verdict: 'observed' }
const fail: RequirementFixture = { id: 'C', verdict: 'fail' }
const none: RequirementFixture = { id: 'D', verdict: 'not-applicable' }
const inconclusive = (cause: Cause): RequirementFixture => ({ id: 'E', verdict: 'inconclusive', cause })

test.each<[string, readonly RequirementFixture[], 0 | 1 | 2 | 3 | 4]>([
  ['requirements that hold', [pass, observed], 0],
  ['a requirement that holds and one that does not apply', [pass, none], 0],
  ['an observation alone', [observed], 0],
  ['a violation', [pass, fail], 1],
  ['a violation and an inconclusive requirement', [fail, inconclusive('throttled')], 1],
  ['an inconclusive requirement', [pass, inconclusive('environment')], 2],
  ['an inconclusive requirement and one that does not apply', [none, inconclusive('configuration')], 2],
  ['requirements that do not apply', [none], 3],
  ['no requirement', [], 3],
  ['a defect of Plumbline', [pass, inconclusive('harness')], 4],
  ['a defect of Plumbline and a violation', [fail, inconclusive('harness')], 4],
])('a run with %s', (_, requirements, code) => {
  expect(exitCodeOfRun(runOf(requirements))).toBe(code)
})

test('a defect of Plumbline in one check of several makes the verdicts unreliable', () => {
  const [requirement] = runOf([fail]).requirements
  const [defect] = runOf([inconclusive('harness')]).requirements
  if (!requirement || !defect) throw new Error('a run has requirements')
  const checks = [...requirement.checks, ...defect.checks]
  expect(exitCodeOfRun({ requirements: [{ ...requirement, checks }] })).toBe(4)
})

test.each<[Stopped['cause'], 0 | 4]>([
  ['harness', 4],
  ['environment', 0],
])('a run that stopped with the cause %s', (cause, code) => {
  expect(exitCodeOfRun(runOf([pass]), { cause, reason: 'it stopped' })).toBe(code)
})

test('drift makes a run exit with 1, unless its exit code is worse', () => {
  const drift = compare(runOf([{ ...pass, verdict: 'fail' }]), runOf([pass]))
  const codes = [0, 1, 2, 3, 4]
  expect(codes.map((code) => exitCodeWithDrift(code, drift))).toEqual([1, 1, 1, 3, 4])
  const same = compare(runOf([pass]), runOf([pass]))
  expect(codes.map((code) => exitCodeWithDrift(code, same))).toEqual(codes)
  expect(codes.map((code) => exitCodeWithDrift(code, undefined))).toEqual(codes)
})
