import { describe, expect, test } from 'vitest'
import { reasonNotApplicable } from '../../src/check/applicability.ts'
import { executeCheck } from '../../src/check/execute.ts'
import { isDifference } from '../../src/check/execution.ts'
import { Inconclusive, inconclusive, NotApplicable, requireData, Violation } from '../../src/check/verdict.ts'
import { type FailureKind, HttpFailure } from '../../src/http/failures.ts'
import { type Effect, effects } from '../../src/target/profiles.ts'
import { definition, file, openRun } from './run-fixture.ts'

describe('a check that ends', () => {
  test('without a failed assertion passes', async () => {
    const result = await executeCheck(
      definition(async ({ expect, basis, note }) => {
        expect.that(true, 'a', 'b')
        basis({ events: 3 })
        note('once')
        note('once')
      }),
      (await openRun()).run,
    )
    expect(result).toMatchObject({
      requirement: 'TEST-MUST',
      name: 'a check',
      file,
      verdict: 'pass',
      cause: null,
      reason: null,
      finding: null,
      notes: [{ text: 'once' }],
      observations: [],
      exchanges: [],
      requests: 0,
      logins: 0,
      effectsBeyondDefault: [],
      basis: { events: 3 },
    })
  })

  test('with a failed assertion fails, with request, expected and actual', async () => {
    const result = await executeCheck(
      definition(async ({ expect }) => {
        expect.describeRequest('a valid request without state')
        expect.that(false, 'a refusal', 'it was accepted')
      }),
      (await openRun()).run,
    )
    expect(result).toMatchObject({
      verdict: 'fail',
      cause: 'target',
      reason: 'expected: a refusal; actual: it was accepted',
      finding: { request: 'a valid request without state', expected: 'a refusal', actual: 'it was accepted' },
    })
  })

  test.each<readonly [string, () => never, string, string]>([
    ['Inconclusive', () => raise(new Inconclusive('no data')), 'inconclusive', 'environment'],
    [
      'Inconclusive, configuration',
      () => raise(new Inconclusive('x', 'configuration')),
      'inconclusive',
      'configuration',
    ],
    ['NotApplicable', () => raise(new NotApplicable('x')), 'not-applicable', 'configuration'],
    ['NotApplicable, target', () => raise(new NotApplicable('x', 'target')), 'not-applicable', 'target'],
    ['TypeError', () => raise(new TypeError('x is not a function')), 'inconclusive', 'harness'],
    ['a string', () => raise('text' as unknown as Error), 'inconclusive', 'harness'],
    ['nothing at all', () => raise(undefined as unknown as Error), 'inconclusive', 'harness'],
  ])('by throwing %s', async (_, throws, verdict, cause) => {
    // An earlier assertion must not turn it into a pass.
    const run = definition(async ({ expect }) => {
      expect.that(true, '', '')
      throws()
    })
    const result = await executeCheck(run, (await openRun()).run)
    expect(result).toMatchObject({ verdict, cause, reason: expect.any(String), finding: null })
    if (cause === 'harness') expect(result.reason).toMatch(/^a defect of Plumbline, please report it: /)
  })

  test.each<[FailureKind, string]>([
    ['throttled', 'throttled'],
    ['unreachable', 'environment'],
  ])('by a request that failed: %s', async (kind, cause) => {
    const run = definition(() => Promise.reject(new HttpFailure(kind, 'the message')))
    const result = await executeCheck(run, (await openRun()).run)
    expect(result).toMatchObject({ verdict: 'inconclusive', cause, reason: 'the message' })
  })

  test('without an expectation has a defect', async () => {
    const result = await executeCheck(
      definition(async () => undefined),
      (await openRun()).run,
    )
    expect(result).toMatchObject({
      verdict: 'inconclusive',
      cause: 'harness',
      reason: expect.stringContaining('without an expectation'),
    })
  })

  test('of a silent requirement is observed, and has a defect if it observes nothing', async () => {
    const { run: one } = await openRun()
    const observes = definition(async ({ observe }) => observe('a.key', 5), {}, 'silent')
    expect(await executeCheck(observes, one)).toMatchObject({
      verdict: 'observed',
      cause: null,
      reason: null,
      observations: [{ key: 'a.key', value: 5, requirement: 'TEST-SILENT' }],
    })
    const asserts = definition(async ({ expect }) => expect.that(true, '', ''), {}, 'silent')
    expect(await executeCheck(asserts, one)).toMatchObject({
      verdict: 'inconclusive',
      cause: 'harness',
      reason: expect.stringContaining('no observation'),
    })
    const fails = definition(async ({ expect }) => expect.that(false, 'one', 'two'), {}, 'silent')
    expect(await executeCheck(fails, one)).toMatchObject({
      verdict: 'inconclusive',
      cause: 'harness',
      reason: expect.stringContaining('the check of a `silent` requirement has an expectation'),
    })
    const stops = definition(
      async ({ observe }) => {
        observe('a.key', 5)
        inconclusive('no data')
      },
      {},
      'silent',
    )
    expect(await executeCheck(stops, one)).toMatchObject({ verdict: 'inconclusive', reason: 'no data' })
  })

  test('by an interruption is inconclusive, and has no defect', async () => {
    const { run: one } = await openRun()
    const interrupted = definition(() => Promise.reject(new DOMException('', 'AbortError')))
    expect(await executeCheck(interrupted, one)).toMatchObject({
      verdict: 'inconclusive',
      cause: 'environment',
      reason: 'the run was interrupted during this check',
    })
  })

  test('of a reference requirement never fails: a difference is observed, with a note', async () => {
    const { run: one } = await openRun()
    const compares = (isEqual: boolean) =>
      definition(async ({ expect }) => expect.that(isEqual, 'one', 'two'), {}, 'reference')
    const key = 'reference.TEST-REFERENCE'
    const same = await executeCheck(compares(true), one)
    expect(same).toMatchObject({
      verdict: 'observed',
      observations: [{ key, value: 'as described' }],
      notes: [],
    })
    const different = await executeCheck(compares(false), one)
    expect([same, different].map(({ observations }) => observations.some(isDifference))).toEqual([
      false,
      true,
    ])
    expect(different).toMatchObject({
      verdict: 'observed',
      finding: null,
      observations: [{ key, value: 'different' }],
      notes: [{ text: 'expected: one; actual: two' }],
    })
    const follows = definition(async () => inconclusive('no', ['INTROSPECTION-ACTIVE']), {}, 'reference')
    expect(await executeCheck(follows, one)).toMatchObject({
      verdict: 'not-applicable',
      cause: 'target',
    })
    const withoutData = definition(async () => inconclusive('no data'), {}, 'reference')
    expect(await executeCheck(withoutData, one)).toMatchObject({
      verdict: 'inconclusive',
      reason: 'no data',
    })
    const empty = definition(async () => undefined, {}, 'reference')
    expect(await executeCheck(empty, one)).toMatchObject({
      verdict: 'inconclusive',
      cause: 'harness',
      observations: [],
    })
    const fails = definition(() => Promise.reject(new Error('x')), {}, 'reference')
    expect(await executeCheck(fails, one)).toMatchObject({ verdict: 'inconclusive', cause: 'harness' })
  })

  test('without enough data reports how much there was', async () => {
    const run = definition(async () => requireData(1, 2, 'distinct times'))
    expect(await executeCheck(run, (await openRun()).run)).toMatchObject({
      verdict: 'inconclusive',
      cause: 'environment',
      reason: 'too little data: at least 2 distinct times needed, 1 found',
    })
  })

  test('is closed, however it ended', async () => {
    const closed: string[] = []
    const run = definition(async (context) => {
      context.execution.onClose(async () => void closed.push('first'))
      context.execution.onClose(async () => void closed.push('second'))
      context.expect.that(false, '', '')
    })
    expect((await executeCheck(run, (await openRun()).run)).verdict).toBe('fail')
    expect(closed).toEqual(['second', 'first'])
  })

  test('keeps its finding if it fails to close', async () => {
    const run = definition(async (context) => {
      context.execution.onClose(() => Promise.reject(new Error('the window was gone')))
      context.expect.that(false, 'a', 'b')
    })
    expect(await executeCheck(run, (await openRun()).run)).toMatchObject({
      verdict: 'fail',
      cause: 'target',
    })
  })
})

describe('a check that may not run', () => {
  test.each([
    ['user', 'TEST_USER and TEST_PASSWORD'],
    ['secondApplication', 'SECOND_CLIENT_ID and SECOND_CLIENT_SECRET'],
    ['unentitledPartner', 'UNENTITLED_CLIENT_ID and UNENTITLED_CLIENT_SECRET'],
    ['requiredAcr', 'REQUIRED_ACR'],
  ] as const)('without %s names the variables to set', async (need, variables) => {
    const { run: one, server } = await openRun()
    const target = { ...one.target, [need]: undefined } as unknown as typeof one.target
    const needy = definition(async () => raise(new Error('it ran')), { needs: [need] })
    const reason = `needs ${variables} to be set`
    expect(reasonNotApplicable(needy, target)?.reason).toBe(reason)
    const result = await executeCheck(needy, Object.assign(Object.create(one), { target }))
    expect(result).toMatchObject({ verdict: 'not-applicable', cause: 'configuration', reason, advice: null })
    expect(server.log).toEqual([])
  })

  test('because of an effect names the effect and what allows it', async () => {
    const { run: one } = await openRun(undefined, { name: 'uat', allowedEffects: ['login'] })
    const run = async () => raise(new Error('it ran'))
    const withEffect = (effect: Effect) => executeCheck(definition(run, { effects: [effect] }), one)
    expect(await withEffect('slow')).toMatchObject({
      verdict: 'not-applicable',
      cause: 'configuration',
      reason: `off by default on uat, because the check ${effects.slow}`,
      advice: 'ENABLE=slow turns it on',
      missingEffect: 'slow',
    })
    const notEnabled = await withEffect('burns-codes')
    expect(notEnabled).toMatchObject({
      reason: `never allowed on uat, because the check ${effects['burns-codes']}`,
      advice: null,
    })
    expect(notEnabled).not.toHaveProperty('missingEffect')
    const probe = definition(run, { effects: ['login', 'credential-probes'] })
    expect(reasonNotApplicable(probe, { ...one.target, name: 'production' })?.advice).toBeNull()
  })
})

test('a violation states the expected and the actual response in its message', () => {
  expect(new Violation({ request: 'c', expected: 'a', actual: 'b' })).toMatchObject({
    message: 'expected: a; actual: b',
    finding: { request: 'c', expected: 'a', actual: 'b' },
  })
})

function raise(error: Error): never {
  throw error
}
