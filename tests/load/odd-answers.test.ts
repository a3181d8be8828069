import { afterEach, describe, expect, test } from 'vitest'
import { Engine } from '../../load/engine/engine.ts'
import type { LoadGuard } from '../../load/engine/guard.ts'
import { dimension } from '../../load/probes/dimension.ts'
import { hold } from '../../load/probes/hold.ts'
import { limiter } from '../../load/probes/limiter.ts'
import { type Probe, ProbeContext } from '../../load/probes/probe.ts'
import { ramp } from '../../load/probes/ramp.ts'
import { recovery } from '../../load/probes/recovery.ts'
import { guardWith, repeated, type Site, startSite } from './site.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function probeAt(statusOf: (index: number) => number | 'reset', caps: Partial<LoadGuard['caps']> = {}) {
  const site: Site = await startSite((request, response, index) => {
    const status = statusOf(index)
    if (status === 'reset') request.socket.resetAndDestroy()
    else response.writeHead(status, status === 429 ? { 'retry-after': '1' } : {}).end()
  })
  const { guard, now } = guardWith({ maxRequests: 30, maxSeconds: 8, maxRate: 20, ...caps })
  const { signal } = new AbortController()
  const engine = new Engine({ guard, now, signal, timeoutMs: 1000 })
  open.push(site, engine)
  const source = repeated(site)
  return {
    engine,
    source,
    run: (probe: Probe, phase: (text: string) => void = () => undefined) =>
      probe(new ProbeContext({ engine, source, signal, phase })),
  }
}

test('a request never leaves before its intended start', async () => {
  const { run, engine } = await probeAt(() => 200, { maxRate: 1000 })
  await run(async (context) => {
    for (let request = 0; request < 30; request += 1) await context.sendOne(engine.now() + 2.3)
    return { finding: '', observations: {} }
  })
  expect(engine.shots).toHaveLength(30)
  expect(engine.shots.filter(({ sentAt, intendedAt }) => sentAt < intendedAt)).toEqual([])
})

test('a rate that this machine does not reach leads to no conclusion', async () => {
  const { run, source } = await probeAt(() => 200)
  const request = source.next()
  let asked = 0
  source.next = () => {
    asked += 1
    const until = performance.now() + (asked % 4 === 0 ? 300 : 0)
    while (performance.now() < until);
    return request
  }
  const { finding, observations } = await run(hold(20))
  expect(finding).toMatch(
    /(?:delayed the schedule by \d\.\d s|\d scheduled requests? not sent): THE RATE WAS NOT MET/,
  )
  expect(observations.clean).toBeNull()
})

describe('a response other than 429 does not mean that the request was admitted:', () => {
  test.for([503, 'reset', 403] as const)('after a wait, %s is no recovery', async (odd) => {
    const { run } = await probeAt((index) => (index === 2 ? 429 : index > 2 ? odd : 200))
    const { finding } = await run(recovery)
    expect(finding).toContain('the probe ended before the target recovered')
  })

  test('a promise that is broken to the end is not said to be kept', async () => {
    const { run } = await probeAt((index) => (index === 2 || index > 4 ? 429 : 200))
    const { finding, observations } = await run(recovery)
    expect(observations['retry-after']).toBe('too short')
    expect(finding).toContain('with Retry-After 1.0 s, no request was admitted afterwards')
  }, 20_000)

  test('a rate at which 403 begins is not clean', async () => {
    const { run } = await probeAt((index) => (index > 5 ? 403 : 200))
    const { finding, observations } = await run(hold(20))
    expect(observations.clean).toBe(false)
    expect(finding).toContain('differ from the first one')
  })

  test('and a ramp does not continue either', async () => {
    const { run } = await probeAt((index) => (index > 6 ? 403 : 200), { maxSeconds: 20 })
    const { finding, observations } = await run(ramp)
    expect(observations['last-clean-rate']).toBe(1)
    expect(finding).toContain('differ from the first one')
  }, 30_000)

  test('a 403 after accepted requests counts as throttled, and the finding states it', async () => {
    const { run } = await probeAt((index) => (index > 5 ? 403 : 200))
    const phases: string[] = []
    const { finding } = await run(limiter, (text) => phases.push(text))
    expect(phases).toContain('first 403: request 7; measuring when requests are admitted again')
    expect(finding).toContain('6 requests in a row were admitted before the first refusal.')
    expect(finding).toMatch(/\d+ responses with status 403 count as refused by the limiter/)
  }, 20_000)

  test('a target that responds with 401 from the first request on is probed like any other', async () => {
    const { run } = await probeAt(() => 401)
    expect((await run(limiter)).finding).toMatch(/^No 429: all 18 requests/)
  })

  test.for([503, 'reset'] as const)('another client that gets %s has not escaped the limit', async (odd) => {
    const { engine, source, run } = await probeAt((index) => (index < 2 ? 200 : index === 2 ? 429 : odd))
    const { observations } = await run(dimension([{ changed: ['client'], source, engine }]))
    expect(observations['limited-by']).toBeNull()
  })
})
