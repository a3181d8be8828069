import type { ProbeId } from '../check/result.ts'
import { probesOf } from '../results/queries.ts'
import type { RunResults } from '../results/results.ts'
import { duration, listText, rateText } from '../text/format.ts'

/** What a probe run measured: `event-search: fixed window, 30 requests per 10.0 s.` */
export function measuredText(results: RunResults): string {
  const otherProbes: ProbeId[] = []
  const parts: string[] = []
  for (const probe of probesOf(results)) {
    const text = probe.name === 'limiter' ? limiterText(results, probe.endpoint) : undefined
    if (text === undefined) otherProbes.push(probe)
    else parts.push(`${probe.endpoint}: ${text}`)
  }
  const limiters = parts.length === 0 ? [] : [`${parts.join('; ')}.`]
  const otherNames = byEndpoint(otherProbes).join(', ')
  const probed =
    otherNames === '' ? [] : [`${parts.length === 0 ? 'Probed' : 'Also measured'}: ${otherNames}.`]
  return [...limiters, ...probed].join(' ') || 'No probe has a result.'
}

/** `ramp and recovery of token` instead of `ramp of token, recovery of token`. */
function byEndpoint(probes: readonly ProbeId[]): string[] {
  return [...Map.groupBy(probes, ({ endpoint }) => endpoint)].map(([endpoint, ofEndpoint]) => {
    const names = ofEndpoint.map(({ name }) => name)
    return `${listText(names)} of ${endpoint}`
  })
}

/** What the probe `limiter` found; undefined if it ended without a conclusion. */
function limiterText({ observations }: RunResults, endpoint: string): string | undefined {
  const observed = (name: string) =>
    observations.find(
      ({ measured }) =>
        measured?.endpoint === endpoint && measured.source === 'limiter' && measured.figure === name,
    )?.value
  const figure = (name: string) => {
    const value = observed(name)
    return typeof value === 'number' ? value : undefined
  }
  const kind = observed('kind')
  if (typeof kind !== 'string') return undefined
  if (kind === 'not-throttled')
    return 'no request was throttled within LOAD_MAX_RATE and LOAD_MAX_REQUESTS; a higher limit may exist'
  if (kind === 'not-identified') return 'limiter not identified'
  const [capacity, windowMs, rate] = [figure('capacity'), figure('window-ms'), figure('rate-per-second')]
  const name = kind.replace('sliding-', 'sliding-window-').replaceAll('-', ' ')
  if (capacity !== undefined && windowMs !== undefined)
    return `${name}, ${capacity} requests per ${duration(windowMs)}`
  return [
    name,
    ...(capacity === undefined ? [] : [`${capacity} requests at once`]),
    ...(rate === undefined ? [] : [`${rateText(rate)} requests/s`]),
  ].join(', ')
}
