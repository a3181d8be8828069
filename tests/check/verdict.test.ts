import { describe, expect, test } from 'vitest'
import {
  countVerdicts,
  Inconclusive,
  type InconclusiveOptions,
  inconclusive,
  NotApplicable,
  notApplicable,
  requireData,
  requirementVerdict,
  type Verdict,
  Violation,
} from '../../src/check/verdict.ts'

describe('the verdict of a requirement', () => {
  test.each<[Verdict[], Verdict]>([
    [['pass', 'inconclusive', 'fail', 'observed'], 'fail'],
    [['observed', 'pass', 'inconclusive'], 'inconclusive'],
    [['observed', 'pass', 'not-applicable'], 'pass'],
    [['not-applicable', 'observed'], 'observed'],
    [['not-applicable'], 'not-applicable'],
    [[], 'not-applicable'],
  ])('of checks with %j is %s', (verdicts, verdict) => {
    expect(requirementVerdict(verdicts)).toBe(verdict)
    expect(requirementVerdict(verdicts.toReversed())).toBe(verdict)
  })
})

test('verdicts are counted, including those that do not occur', () => {
  expect(countVerdicts([{ verdict: 'fail' }, { verdict: 'pass' }, { verdict: 'fail' }])).toEqual({
    ...{ pass: 1, fail: 2, inconclusive: 0 },
    ...{ 'not-applicable': 0, observed: 0 },
  })
})

describe('an inconclusive check', () => {
  test.each<[InconclusiveOptions | undefined, object]>([
    [undefined, { cause: 'environment', dependsOn: [], variables: [], advice: null }],
    ['throttled', { cause: 'throttled', advice: null }],
    [{ cause: 'harness' }, { cause: 'harness' }],
    [
      { variables: ['CLIENT_ID', 'CLIENT_SECRET'] },
      {
        cause: 'configuration',
        variables: ['CLIENT_ID', 'CLIENT_SECRET'],
        advice: 'check CLIENT_ID and CLIENT_SECRET',
      },
    ],
    [
      { variables: ['CLIENT_ID'], cause: 'environment', advice: 'wait' },
      { cause: 'environment', advice: 'wait' },
    ],
    [['AUTHZ-ERROR-REDIRECT'], { cause: 'environment', dependsOn: ['AUTHZ-ERROR-REDIRECT'] }],
  ])('with %j', (options, expected) => {
    expect(new Inconclusive('no data', options)).toMatchObject({
      name: 'Inconclusive',
      message: 'no data',
      ...expected,
    })
  })
})

test('a check is not applicable because of the configuration, unless the target is named', () => {
  const given = { name: 'NotApplicable', message: 'no user' }
  expect(new NotApplicable('no user')).toMatchObject({ ...given, cause: 'configuration' })
  expect(new NotApplicable('no user', 'target')).toMatchObject({ ...given, cause: 'target' })
})

test('a violation states the expected and the actual response', () => {
  const finding = { request: 'a search without from', expected: 'a 400', actual: 'the response was 200' }
  expect(new Violation(finding)).toMatchObject({
    name: 'Violation',
    message: 'expected: a 400; actual: the response was 200',
    finding,
  })
})

test('a check ends without a conclusion, or as not applicable', () => {
  expect(() => inconclusive('no answer', ['AUTHZ-CODE-FLOW'])).toThrow(
    new Inconclusive('no answer', ['AUTHZ-CODE-FLOW']),
  )
  expect(() => notApplicable('no user', 'target')).toThrow(new NotApplicable('no user', 'target'))
})

test.each([
  [0, 1, 'too little data: no event found'],
  [0, 2, 'too little data: at least 2 event needed, 0 found'],
  [2, 3, 'too little data: at least 3 event needed, 2 found'],
  [1, 1, undefined],
  [3, 2, undefined],
])('of %i the check needs %i', (count, least, message) => {
  const require = () => requireData(count, least, 'event')
  if (message === undefined) expect(require).not.toThrow()
  else expect(require).toThrow(new Inconclusive(message))
})
