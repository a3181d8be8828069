import { describe, expect, onTestFinished, test } from 'vitest'
import { catalogue } from '../../src/check/catalogue.ts'
import { executeCheck } from '../../src/check/execute.ts'
import { CheckExecution } from '../../src/check/execution.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import { HttpFailure } from '../../src/http/failures.ts'
import type { VariableName } from '../../src/target/variables.ts'
import { definition, openRun } from './run-fixture.ts'

describe('a result', () => {
  test.each([
    [['AUTHZ-ERROR-REDIRECT'], { cause: 'environment', dependsOn: ['AUTHZ-ERROR-REDIRECT'], advice: null }],
    [{ variables: ['CLIENT_ID'] }, { cause: 'configuration', dependsOn: [], advice: 'check CLIENT_ID' }],
  ] as const)(
    'keeps the dependencies and the advice of an inconclusive check: %j',
    async (options, expected) => {
      const check = definition(() => raise(new Inconclusive('no data', options)))
      expect(await executeCheck(check, (await openRun()).run)).toMatchObject({
        verdict: 'inconclusive',
        ...expected,
      })
    },
  )

  test('lists variables only if they may be wrong', async () => {
    const { run } = await openRun()
    const inconclusive = (variables: readonly VariableName[]) =>
      executeCheck(
        definition(() => raise(new Inconclusive('no data', { variables }))),
        run,
      )
    expect(await inconclusive(['SCOPE', 'CLIENT_ID'])).toMatchObject({ variables: ['SCOPE', 'CLIENT_ID'] })
    expect(await inconclusive([])).not.toHaveProperty('variables')
  })

  test('states the time since an event only if the verdict is based on it', async () => {
    const { run } = await openRun()
    const passing = (secondsSince?: Readonly<Record<string, number>>) =>
      executeCheck(
        definition(async ({ expect, basis }) => {
          expect.that(true, '', '')
          basis({ events: 3 }, secondsSince && { secondsSince })
        }),
        run,
      )
    const secondsSince = { 'the token was replaced': 20 }
    expect(await passing(secondsSince)).toMatchObject({ basis: { events: 3 }, secondsSince })
    expect(await passing()).not.toHaveProperty('secondsSince')
  })

  test('lists the areas whose requests the check judges, if it judges those of other checks', async () => {
    const area = { name: 'test', title: 'An area', order: 1, host: 'identity-provider' } as const
    catalogue.areas.set('test', { ...area, judges: ['token'] })
    onTestFinished(() => void catalogue.areas.delete('test'))
    const { run } = await openRun()
    const judges = (judgesRun: boolean) =>
      executeCheck(
        definition(async ({ expect }) => expect.that(true, '', ''), { judgesRun }),
        run,
      )
    expect(await judges(true)).toMatchObject({ judgedAreas: ['test', 'token'] })
    expect(await judges(false)).not.toHaveProperty('judgedAreas')
  })

  test('has the advice of a request that failed', async () => {
    const failure = new HttpFailure('unreachable', 'no connection', { advice: 'check the network' })
    const check = definition(() => Promise.reject(failure))
    expect(await executeCheck(check, (await openRun()).run)).toMatchObject({
      dependsOn: [],
      advice: 'check the network',
    })
  })

  test.each([
    [() => raise(new TypeError('x')), /: TypeError at src\/check\/execute\.ts:\d+$/],
    [() => raise('text' as unknown as Error), /: a thrown string$/],
  ])('names a defect by its kind', async (throws, reason) => {
    const { run } = await openRun()
    expect((await executeCheck(definition(throws), run)).reason).toMatch(reason)
  })

  test('lists the effects that the profile of the target does not allow by itself', async () => {
    const { run } = await openRun(undefined, { allowedEffects: ['login', 'slow', 'planned'] })
    const check = definition(async (context) => context.expect.that(true, '', ''), {
      effects: ['login', 'slow', 'planned'],
    })
    expect((await executeCheck(check, run)).effectsBeyondDefault).toEqual(['slow', 'planned'])
  })

  test.each([
    [['login', 'slow'], ['slow']],
    [['login'], []],
  ] as const)(
    'with %j allowed, the effects beyond the default that it may use are %j',
    async (allowed, listed) => {
      const { run } = await openRun(undefined, { allowedEffects: [...allowed] })
      const check = definition(async (context) => context.expect.that(true, '', ''), {
        effects: ['login'],
        optionalEffects: ['slow'],
      })
      expect((await executeCheck(check, run)).effectsBeyondDefault).toEqual(listed)
    },
  )

  test('has whole milliseconds, and the logins and requests of the check alone', async () => {
    const { run } = await openRun()
    const admit = (count: number) => {
      for (let request = 0; request < count; request += 1) run.budget.admitAtOnce()
    }
    admit(5)
    run.budget.logins = 2
    const check = definition(async (context) => {
      admit(3)
      run.budget.logins = 3
      await new Promise((resolve) => setTimeout(resolve, 30))
      context.expect.that(true, '', '')
    })
    const result = await executeCheck(check, run)
    expect(result).toMatchObject({ requests: 3, logins: 1 })
    expect(result.durationMs).toBeGreaterThanOrEqual(29)
    expect(result.durationMs).toBeLessThan(10_000)
    expect(Number.isInteger(result.durationMs)).toBe(true)
  })

  test('lists exchanges by their numbers', async () => {
    const { run, server } = await openRun()
    const send = (path: string) => run.http.send({ method: 'GET', url: server.url(path), retry: 'safe' })
    const late = () => send('/early')
    await executeCheck(
      definition(async () => {
        await run.once(late, late)
      }),
      run,
    )
    const check = definition(async (context) => {
      await send('/own')
      await run.once(late, late)
      context.expect.that(true, '', '')
    })
    const { exchanges, earlierExchanges } = await executeCheck(check, run)
    expect(exchanges.map(({ number }) => number)).toEqual([1, 2])
    expect(earlierExchanges).toBe(1)
  })

  test('of a check whose host is unreachable states the reason, and the check does not run', async () => {
    const { run } = await openRun()
    const unreached = { reason: 'the host is out of reach', cause: 'configuration' } as const
    const unusableHosts = { 'identity-provider': unreached }
    const cutOff = Object.assign(Object.create(run), { unusableHosts })
    const check = definition(async () => raise(new Error('it ran')))
    expect(await executeCheck(check, cutOff)).toMatchObject({
      verdict: 'inconclusive',
      cause: 'configuration',
      reason: 'the host is out of reach',
      advice: null,
      dependsOn: [],
    })
  })

  test('stores the error that ended the check early in its execution', async () => {
    const { run } = await openRun()
    const error = new Inconclusive('no data')
    const check = definition(() => raise(error))
    const execution = new CheckExecution(check.requirement)
    await executeCheck(check, run, execution)
    expect(execution.thrown).toBe(error)
  })
})

function raise(error: Error): never {
  throw error
}
