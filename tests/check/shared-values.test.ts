import { describe, expect, test } from 'vitest'
import { executeCheck } from '../../src/check/execute.ts'
import { answer, inTurn } from '../http/site.ts'
import { definition, openRun } from './run-fixture.ts'

/** Steps with shared values. Only their identity matters. */
const thing = async (): Promise<unknown> => undefined
const below = async (): Promise<unknown> => undefined
const above = async (): Promise<unknown> => undefined

describe('a value that checks share', () => {
  const get = (path: string, one: Awaited<ReturnType<typeof openRun>>) => () =>
    one.run.http.send({ method: 'GET', url: one.server.url(path), retry: 'safe' })

  test('is computed once, and its exchanges are evidence of every check that uses it', async () => {
    const one = await openRun()
    const check = (path: string) =>
      definition(async ({ expect }) => {
        await one.run.once(thing, get('/thing', one))
        await get(path, one)()
        await one.run.once(thing, get('/thing', one))
        expect.that(true, '', '')
      })
    const first = await executeCheck(check('/first'), one.run)
    const second = await executeCheck(check('/second'), one.run)
    const paths = (result: typeof first) =>
      result.exchanges.map(({ request }) => new URL(request.url).pathname)
    expect(one.server.log.map(({ url }) => url)).toEqual(['/thing', '/first', '/second'])
    expect([paths(first), paths(second)]).toEqual([
      ['/thing', '/first'],
      ['/thing', '/second'],
    ])
    expect([first.requests, second.requests]).toEqual([2, 1])
    expect(first.exchanges.map(({ number }) => number)).toEqual([1, 2])
    expect([first.earlierExchanges, second.earlierExchanges]).toEqual([0, 1])
  })

  test('is computed once for concurrent checks', async () => {
    const one = await openRun()
    await Promise.all([1, 2].map(() => one.run.once(thing, get('/thing', one))))
    expect(one.server.log).toHaveLength(1)
  })

  test('fails for every check in the same way, and can be forgotten', async () => {
    const one = await openRun(inTurn(answer(500), answer(500), answer(200)))
    const run = definition(async ({ expect }) => {
      await one.run.once(thing, get('/thing', one))
      expect.that(true, '', '')
    })
    const failures = [await executeCheck(run, one.run), await executeCheck(run, one.run)]
    for (const result of failures) {
      expect(result).toMatchObject({ verdict: 'inconclusive', cause: 'environment' })
      expect(result.exchanges).toHaveLength(2)
    }
    expect(one.server.log).toHaveLength(2)
    one.run.forget(thing)
    expect((await executeCheck(run, one.run)).verdict).toBe('pass')
  })

  test('has the exchanges of another shared value that it uses', async () => {
    const one = await openRun()
    const checkBelow = definition(async ({ expect }) => {
      await one.run.once(below, get('/below', one))
      expect.that(true, '', '')
    })
    const checkAbove = definition(async ({ expect }) => {
      await one.run.once(above, async () => {
        await one.run.once(below, get('/below', one))
        await get('/above', one)()
      })
      expect.that(true, '', '')
    })
    await executeCheck(checkBelow, one.run)
    const results = [await executeCheck(checkAbove, one.run), await executeCheck(checkAbove, one.run)]
    expect(results.map(({ exchanges }) => exchanges.length)).toEqual([2, 2])
  })

  test('is made once for each variant, which can be forgotten alone', async () => {
    const { run } = await openRun()
    let made = 0
    const make = async () => (made += 1)
    const values = async () => [
      await run.once(thing, make),
      await run.once([thing, 'a'], make),
      await run.once([thing, 'b'], make),
    ]
    expect(await values()).toEqual([1, 2, 3])
    run.forget([thing, 'a'])
    expect(await values()).toEqual([1, 4, 3])
  })
})
