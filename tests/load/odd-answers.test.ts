import { describe, expect, onTestFinished, type TestContext, test } from 'vitest'
import { Engine } from '../../load/engine/engine.ts'
import { LoadGuard } from '../../load/engine/guard.ts'
import { Bench, type Probe } from '../../load/probes/bench.ts'
import { dimension } from '../../load/probes/dimension.ts'
import { hold } from '../../load/probes/hold.ts'
import { limiter } from '../../load/probes/limiter.ts'
import { ramp } from '../../load/probes/ramp.ts'
import { recovery } from '../../load/probes/recovery.ts'
import { type Site, startSite } from './site.ts'

interface Options {
  /** Where a test does not run alone, that of its context. */
  readonly onFinished?: TestContext['onTestFinished']
  readonly caps?: Partial<LoadGuard['caps']>
}

async function benchAt(
  statusOf: (index: number) => number | 'reset',
  { onFinished = onTestFinished, caps = {} }: Options = {},
) {
  const site: Site = await startSite((request, response, index) => {
    const status = statusOf(index)
    if (status === 'reset') request.socket.resetAndDestroy()
    else response.writeHead(status, status === 429 ? { 'retry-after': '1' } : {}).end()
  })
  const began = performance.now()
  const now = () => performance.now() - began
  const guard = new LoadGuard({ maxRequests: 30, maxSeconds: 8, maxRate: 20, ...caps }, now)
  const { signal } = new AbortController()
  const engine = new Engine({ guard, now, signal, timeoutMs: 1000 })
  onFinished(async () => {
    await engine.close()
    await site.close()
  })
  const source = {
    next: () => ({ method: 'GET' as const, url: site.url, headers: [] }),
    learn: () => undefined,
  }
  return {
    engine,
    source,
    run: (probe: Probe) => probe.run(new Bench({ endpoint: 'discovery', engine, source, signal })),
  }
}

test('of a rate that this machine does not keep up nothing is said', async () => {
  const { run, source } = await benchAt(() => 200)
  const request = source.next()
  let asked = 0
  source.next = () => {
    asked += 1
    const until = performance.now() + (asked % 4 === 0 ? 300 : 0)
    while (performance.now() < until);
    return request
  }
  const { finding, observations } = await run(hold(20))
  expect(finding).toMatch(/put the schedule off by \d\.\d s: THE RATE WAS NOT MET/)
  expect(observations.clean).toBeNull()
})

// They wait far more than they compute.
describe.concurrent('an answer that is no 429 is not yet one that was let through:', () => {
  test.for([503, 'reset', 403] as const)(
    'after a wait, %s is no recovery',
    async (odd, { expect, onTestFinished: onFinished }) => {
      const { run } = await benchAt((index) => (index === 2 ? 429 : index > 2 ? odd : 200), { onFinished })
      const { finding } = await run(recovery)
      expect(finding).toContain('the probe ended before the target had recovered')
    },
  )

  test('a promise that is broken to the end is not said to be kept', async ({
    expect,
    onTestFinished: onFinished,
  }) => {
    const { run } = await benchAt((index) => (index === 2 || index > 4 ? 429 : 200), { onFinished })
    const { finding, observations } = await run(recovery)
    expect(observations['retry-after']).toBe('too early')
    expect(finding).toContain('promised 1.0 s, not answered any more')
  }, 20_000)

  test('a rate at which 403 begins is not clean', async ({ expect, onTestFinished: onFinished }) => {
    const { run } = await benchAt((index) => (index > 5 ? 403 : 200), { onFinished })
    const { finding, observations } = await run(hold(20))
    expect(observations.clean).toBe(false)
    expect(finding).toContain('answered otherwise than at first')
  })

  test('nor does a ramp go on over it', async ({ expect, onTestFinished: onFinished }) => {
    const { run } = await benchAt((index) => (index > 6 ? 403 : 200), {
      onFinished,
      caps: { maxSeconds: 20 },
    })
    const { finding, observations } = await run(ramp)
    expect(observations['last-clean-rate']).toBe(1)
    expect(finding).toContain('answered otherwise than at first')
  }, 30_000)

  test('what was refused with 403 is not said to be admitted', async ({
    expect,
    onTestFinished: onFinished,
  }) => {
    const { run } = await benchAt((index) => (index > 5 ? 403 : 200), { onFinished })
    expect((await run(limiter)).finding).toMatch(/^At least 6 requests/)
  })

  test('a target that answers 401 from the first request on is asked as any other', async ({
    expect,
    onTestFinished: onFinished,
  }) => {
    const { run } = await benchAt(() => 401, { onFinished })
    expect((await run(limiter)).finding).toMatch(/^At least 30 requests/)
  })

  test.for([503, 'reset'] as const)(
    'somebody else who meets %s has escaped nothing',
    async (odd, { expect, onTestFinished: onFinished }) => {
      const { engine, source, run } = await benchAt((index) => (index < 2 ? 200 : index === 2 ? 429 : odd), {
        onFinished,
      })
      const { observations } = await run(dimension([{ changed: ['client'], source, engine }]))
      expect(observations['limited-by']).toBeNull()
    },
  )
})
