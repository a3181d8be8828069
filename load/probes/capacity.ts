import { maxLines } from '../engine/lines.ts'
import { headerPairs } from '../engine/shot.ts'
import type { Probe } from './bench.ts'

/**
 * Closed-loop throughput: as many requests as the budget has, over ten connections, each as soon as the answer before
 * it has come. It paces nothing and waits for no Retry-After, so it is for servers that belong to the tester alone.
 */
export const capacity: Probe = {
  name: 'capacity',
  question: 'how much does the server bear?',
  async run({ source, remaining, engine, signal }) {
    const request = source.next()
    if (!request) return { finding: 'there is no request to send', observations: {} }
    if (source.next() !== request)
      return {
        finding: 'requests of this endpoint differ from each other, so none was sent',
        observations: {},
      }
    const { method, url } = request
    const { default: autocannon } = await import('autocannon')
    const run = autocannon({
      url: url.href,
      method,
      headers: Object.fromEntries(headerPairs(request)),
      connections: maxLines,
      amount: remaining,
    })
    const stop = () => (run as unknown as { stop(): void }).stop()
    signal.addEventListener('abort', stop, { once: true })
    engine.guard.take(remaining)
    const { requests, latency, statusCodeStats, errors } = await run
    signal.removeEventListener('abort', stop)
    const throttled = statusCodeStats?.['429']?.count ?? 0
    return {
      finding: `${Math.round(requests.average)} requests/s over ${maxLines} connections, p99 ${latency.p99} ms; ${throttled} of ${requests.total} were throttled, ${errors} lost`,
      observations: { 'requests-per-second': Math.round(requests.average), 'latency-p99-ms': latency.p99 },
    }
  },
}
