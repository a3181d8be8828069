import { describe, expect, test, vi } from 'vitest'
import { type CompletedLanding, transientErrorOf } from '../../src/check/authorization/landing-content.ts'
import { retryAfterFailure, Unfinished } from '../../src/check/retry-after-failure.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import { type FailureKind, HttpFailure } from '../../src/http/failures.ts'
import { client } from '../http/site.ts'
import { openRun } from './run-fixture.ts'

describe('a shared step is retried once', () => {
  const transient: readonly [string, Error][] = [
    ...(['throttled', 'unavailable', 'timed-out'] as const).map(
      (kind) => [kind, new HttpFailure(kind, kind)] as const,
    ),
    ['a journey that the environment ended', unfinished('environment')],
    ['a journey that was throttled', unfinished('throttled')],
  ].map(([name, error]) => [name as string, error as Error])

  test.each(transient)('after %s', async (_, error) => {
    const { budget } = client([])
    const pause = vi.spyOn(budget, 'pauseFor')
    const make = vi.fn(async () => 'made').mockRejectedValueOnce(error)
    expect(await retryAfterFailure(budget, make)).toBe('made')
    expect(make).toHaveBeenCalledTimes(2)
    expect(pause).toHaveBeenCalledTimes(1)
    const [wait] = pause.mock.calls[0] ?? []
    expect(wait).toBeGreaterThanOrEqual(500)
    expect(wait).toBeLessThanOrEqual(1000)
  })

  test('in another way if one is given', async () => {
    const again = vi.fn(async () => 'again')
    const failing = () => Promise.reject(new HttpFailure('throttled', 'x'))
    expect(await retryAfterFailure(client([]).budget, failing, again)).toBe('again')
  })

  test('and the second failure is final', async () => {
    const make = vi.fn(() => Promise.reject(new HttpFailure('throttled', 'x')))
    await expect(retryAfterFailure(client([]).budget, make)).rejects.toThrow('x')
    expect(make).toHaveBeenCalledTimes(2)
  })

  test.each<[string, Error]>([
    ...(['unreachable', 'budget-spent', 'host-refused'] satisfies FailureKind[]).map(
      (kind): [string, Error] => [kind, new HttpFailure(kind, kind)],
    ),
    ['a journey that the configuration ended', unfinished('configuration')],
    ['an inconclusive check', new Inconclusive('no data')],
    ['a defect', new TypeError('a defect')],
  ])('but not after %s', async (_, error) => {
    const { budget } = client([])
    const pause = vi.spyOn(budget, 'pauseFor')
    const make = vi.fn(() => Promise.reject(error))
    await expect(retryAfterFailure(budget, make)).rejects.toBe(error)
    expect(make).toHaveBeenCalledTimes(1)
    expect(pause).not.toHaveBeenCalled()
  })
})

test('an interrupted journey keeps its cause, its failed step and its advice', () => {
  const error = new Unfinished({
    kind: 'failed',
    failure: 'timed-out',
    cause: 'environment',
    reason: 'the page did not load',
    advice: 'try again',
  })
  expect(error).toMatchObject({
    message: 'the page did not load',
    cause: 'environment',
    failure: 'timed-out',
    advice: 'try again',
  })
})

test('a shared value is computed again after a failure, and once after a success', async () => {
  const { run } = await openRun()
  const thing = async () => ''
  const make = vi.fn(async () => 'made').mockRejectedValueOnce(new Error('x'))
  await expect(run.onceSuccessful(thing, make)).rejects.toThrow('x')
  expect(await run.onceSuccessful(thing, make)).toBe('made')
  expect(await run.onceSuccessful(thing, make)).toBe('made')
  expect(make).toHaveBeenCalledTimes(2)
})

describe('the error of a redirect that requests a retry', () => {
  const redirect = (query: string, fragment = '') =>
    ({
      kind: 'redirect',
      query: new URLSearchParams(query),
      fragment: new URLSearchParams(fragment),
    }) as CompletedLanding

  test.each<[string, CompletedLanding, string | undefined]>([
    ['server_error', redirect('error=server_error'), 'server_error'],
    ['temporarily_unavailable', redirect('error=temporarily_unavailable'), 'temporarily_unavailable'],
    ['one in the fragment', redirect('', 'error=server_error'), 'server_error'],
    [
      'one in a form',
      { ...redirect(''), form: new URLSearchParams('error=server_error') } as CompletedLanding,
      'server_error',
    ],
    ['access_denied', redirect('error=access_denied'), undefined],
    ['an empty error', redirect('error='), undefined],
    ['no error', redirect('code=a'), undefined],
    ['server_error with a code', redirect('code=a&error=server_error'), undefined],
    ['a login page', { kind: 'login-page' } as CompletedLanding, undefined],
  ])('%s', (_, landing, error) => {
    expect(transientErrorOf(landing)).toBe(error)
  })
})

function unfinished(cause: 'environment' | 'configuration' | 'throttled'): Unfinished {
  return new Unfinished({ kind: 'failed', cause, reason: 'x' })
}
