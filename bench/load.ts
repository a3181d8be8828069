import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { Client } from 'undici'
import { Engine } from '../load/engine/engine.ts'
import { LoadGuard } from '../load/engine/guard.ts'
import { paced } from '../load/engine/pacer.ts'
import { latencyMs, type Shot } from '../load/engine/shot.ts'
import { groupMs } from '../load/engine/timing.ts'
import { nearestRank } from '../load/output/percentiles.ts'
import { Budget } from '../src/http/budget.ts'
import { type Figure, figure } from './figure.ts'
import type { ServerMode, ServerReport } from './load-server.ts'

// Measures the pacing of load probes with a server in another process, and compares the probes with autocannon.

const forever = new AbortController().signal

class Site {
  readonly url: URL
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.url = new URL(`http://127.0.0.1:${port}/`)
  }

  static async start(): Promise<Site> {
    const child = fork(join(import.meta.dirname, 'load-server.ts'))
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    return new Site(child, port)
  }

  async setMode(mode: ServerMode): Promise<void> {
    this.#child.send(mode)
    await once(this.#child, 'message')
  }

  async report(): Promise<ServerReport> {
    this.#child.send('report')
    const [report] = (await once(this.#child, 'message')) as [ServerReport]
    return report
  }

  close(): void {
    this.#child.disconnect()
  }
}

interface PacedOptions {
  readonly ratePerSecond: number
  readonly count: number
  readonly maxRequests?: number
  readonly maxRate?: number
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** @returns the outcomes of the requests; their times are in milliseconds since `epoch` */
async function pace(
  site: Site,
  options: PacedOptions,
): Promise<{ readonly shots: readonly Shot[]; readonly epoch: number }> {
  const { ratePerSecond, count, maxRequests = 100_000, maxRate = 1000, timeoutMs = 5000 } = options
  const began = performance.now()
  const now = () => performance.now() - began
  const budget = new Budget({ hosts: [], requestsPerSecond: 1, requestBudget: 0, loginBudget: 0 })
  const guard = new LoadGuard({ maxRequests, maxSeconds: 300, maxRate }, budget, now)
  const signal = options.signal ?? forever
  const engine = new Engine({ guard, now, signal, timeoutMs })
  const request = { method: 'GET' as const, url: site.url, headers: [] }
  const source = { next: () => request }
  const { shots } = await paced(engine, { ratePerSecond, count }, source, () => true, signal)
  await engine.close()
  return { shots, epoch: performance.timeOrigin + began }
}

/** Maximum number of arrivals in a span of time. */
function peak(arrivals: readonly number[], spanMs: number): number {
  let first = 0
  let maximum = 0
  for (const [last, at] of arrivals.entries()) {
    while (at - (arrivals[first] as number) >= spanMs) first += 1
    maximum = Math.max(maximum, last - first + 1)
  }
  return maximum
}

async function pacing(site: Site): Promise<Figure[]> {
  let excess = Number.NEGATIVE_INFINITY
  let peakRatio = 0
  const lateness: number[] = []
  for (const rate of [5, 20, 50, 100, 200]) {
    await site.setMode({ kind: 'plain' })
    const { shots } = await pace(site, { ratePerSecond: rate, count: rate * 4, maxRate: 200 })
    const { arrivals } = await site.report()
    excess = Math.max(excess, peak(arrivals, 1000) - rate)
    lateness.push(...shots.map(({ intendedAt, sentAt }) => sentAt - intendedAt))
    if (rate < 20) continue
    await site.setMode({ kind: 'plain' })
    await autocannon({ url: site.url.href, connections: 10, overallRate: rate, duration: 4 })
    peakRatio = Math.max(peakRatio, peak(arrivals, 100) / peak((await site.report()).arrivals, 100))
  }
  const late = nearestRank(Float64Array.from(lateness).sort(), 990)
  return [
    figure('most requests above the rate in a second', excess, 'requests', 1),
    figure('peak in 0.1 s against autocannon, at worst', peakRatio, 'ratio', 0.6),
    figure('lateness of dispatch, p99', late, 'ms', 5),
  ]
}

/**
 * The server stalls for 1 s of 10 s, at 100 requests/s. The measured latencies must include the time that requests wait
 * for the stall to end (no coordinated omission).
 */
async function stall(site: Site): Promise<Figure[]> {
  const [from, until] = [4500, 5500]
  await site.setMode({ kind: 'stall', from, until })
  const { shots, epoch } = await pace(site, { ratePerSecond: 100, count: 1000 })
  // The server measures the stall from the first arrival.
  const { arrivals } = await site.report()
  const [first = epoch] = arrivals
  const inOrder = [...shots].sort((a, b) => a.sentAt - b.sentAt)
  const truth = inOrder.map(({ intendedAt }, index) => {
    const since = epoch + intendedAt - first
    const isStalled = (arrivals[index] ?? 0) - first >= from && since < until
    return isStalled ? until - since : 1
  })
  const measured = Float64Array.from(shots, latencyMs).sort()
  const expected = Float64Array.from(truth).sort()
  const errorPercent = (perMille: number) =>
    Math.abs(nearestRank(measured, perMille) / nearestRank(expected, perMille) - 1) * 100
  return [
    figure('stall of 1 s: error of the p99', errorPercent(990), '%', 1),
    figure('stall of 1 s: error of the p99.9', errorPercent(999), '%', 1),
  ]
}

/** The fastest of these rounds counts, because other load on the machine only adds CPU time. */
const cpuRounds = 5

/** CPU time per request of the engine, autocannon and bare undici, measured one after another in each round. */
async function cpu(site: Site): Promise<Figure[]> {
  await site.setMode({ kind: 'plain' })
  const pacing = { ratePerSecond: 1000, count: 5000, maxRate: 2000 }
  const autocannonOptions = { url: site.url.href, connections: 10, amount: pacing.count }
  const late: number[] = []
  const drivers = {
    own: async () => {
      const { shots } = await pace(site, pacing)
      late.push(...shots.map(({ sentAt, intendedAt }) => sentAt - intendedAt))
    },
    paced: () => autocannon({ ...autocannonOptions, overallRate: pacing.ratePerSecond }),
    closed: () => autocannon(autocannonOptions),
    bare: () => barePaced(site.url, pacing),
  }
  const least = { own: Infinity, paced: Infinity, closed: Infinity, bare: Infinity }
  for (let round = 0; round < cpuRounds; round += 1) {
    for (const driver of ['own', 'paced', 'closed', 'bare'] as const) {
      const before = process.cpuUsage()
      await drivers[driver]()
      const { user, system } = process.cpuUsage(before)
      least[driver] = Math.min(least[driver], (user + system) / pacing.count)
    }
  }
  const { own, paced: autocannonPaced, closed, bare } = least
  const lateness = nearestRank(Float64Array.from(late).sort(), 990)
  return [
    figure('CPU per request at 1,000/s', own, 'µs', 200),
    figure('CPU per request against autocannon at 1,000/s', own / autocannonPaced, 'ratio', 4),
    figure('the same against autocannon at full speed', own / closed, 'ratio'),
    figure('the same against bare undici at 1,000/s', own / bare, 'ratio'),
    figure('lateness of dispatch at 1,000/s, p99', lateness, 'ms'),
  ]
}

/** The lower bound of an open model: undici and timers as in the engine, but no guard, latencies, budget, time-outs. */
async function barePaced(url: URL, { ratePerSecond, count }: PacedOptions): Promise<void> {
  const clients = Array.from({ length: 10 }, () => new Client(url.origin, { pipelining: 1 }))
  const free = [...clients]
  const began = performance.now()
  let [due, done] = [0, 0]
  const all = Promise.withResolvers<void>()
  const send = () => {
    const client = due > 0 ? free.pop() : undefined
    if (!client) return
    due -= 1
    const ended = () => {
      done += 1
      free.push(client)
      if (done === count) all.resolve()
      else send()
    }
    client.dispatch(
      { path: url.pathname, method: 'GET' },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData() {},
        onResponseEnd: ended,
        onResponseError: (_, error) => all.reject(error),
      },
    )
  }
  for (let index = 0; index < count; index += 1) {
    const early = began + (index * 1000) / ratePerSecond - performance.now()
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, Math.max(early, groupMs)))
    due += 1
    send()
  }
  await all.promise
  await Promise.all(clients.map((client) => client.destroy()))
}

/** A server with random faults must never receive a request above the cap, after the end, or before Retry-After. */
async function faults(site: Site, count: number): Promise<Figure[]> {
  const cap = 30
  let tooMany = 0
  let afterAbort = 0
  let tooEarly = 0
  for (let seed = 1; seed <= count; seed += 1) {
    await site.setMode({ kind: 'faults', seed })
    const stop = new AbortController()
    let stoppedAt = Number.POSITIVE_INFINITY
    const timer = setTimeout(
      () => {
        stoppedAt = performance.timeOrigin + performance.now()
        stop.abort()
      },
      seed % 4 === 0 ? 60 : 2000,
    )
    await pace(site, {
      ratePerSecond: 200,
      count: 60,
      maxRequests: cap,
      maxRate: 200,
      timeoutMs: 100,
      signal: stop.signal,
    })
    clearTimeout(timer)
    const { arrivals, connections, throttledAt } = await site.report()
    tooMany += Math.max(0, arrivals.length - cap) + Math.max(0, connections - cap)
    // Requests that were already sent still arrive.
    const onTheWireMs = 10
    afterAbort += arrivals.filter((at) => at > stoppedAt + onTheWireMs).length
    tooEarly += throttledAt.reduce(
      (sum, since) => sum + arrivals.filter((at) => at > since + onTheWireMs && at < since + 1000).length,
      0,
    )
  }
  return [
    figure(`${count} faulty servers: requests and connects above the cap`, tooMany, 'requests', 0),
    figure(`${count} faulty servers: requests after the end`, afterAbort, 'requests', 0),
    figure(`${count} faulty servers: requests before Retry-After`, tooEarly, 'requests', 0),
  ]
}

export async function loadFigures(): Promise<Figure[]> {
  const site = await Site.start()
  try {
    return [
      ...(await pacing(site)),
      ...(await stall(site)),
      ...(await cpu(site)),
      ...(await faults(site, 200)),
    ]
  } finally {
    site.close()
  }
}
