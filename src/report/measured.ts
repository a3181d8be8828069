import { probesOf } from '../results/queries.ts'
import type { RunResults } from '../results/results.ts'
import { duration, rateText } from '../text/format.ts'

/** What a probe run measured: `event-search: fixed window, 30 requests per 10.0 s.` */
export function measuredText(results: RunResults): string {
  const limiters = results.observations.flatMap(({ key, value }) => {
    const endpoint = /^limits\.([^.]+)\.limiter\.kind$/.exec(key)?.[1]
    return endpoint === undefined ? [] : [{ endpoint, text: limiterText(results, endpoint, String(value)) }]
  })
  const named = new Set(limiters.map(({ endpoint }) => `limiter of ${endpoint}`))
  const others = probesOf(results).filter((name) => !named.has(name))
  const parts = [
    ...limiters.map(({ endpoint, text }) => `${endpoint}: ${text}`),
    ...(others.length === 0
      ? []
      : [`${limiters.length === 0 ? 'Probed' : 'also probed'}: ${byEndpoint(others).join(', ')}`]),
  ]
  return parts.length === 0 ? 'No probe has a result.' : `${parts.join('; ')}.`
}

/** `ramp and recovery of token` instead of `ramp of token, recovery of token`. */
function byEndpoint(names: readonly string[]): string[] {
  const endpointOf = (name: string) => name.split(' of ').at(-1)
  return [...Map.groupBy(names, endpointOf)].map(([endpoint, some]) => {
    const probes = some.map((name) => name.replace(` of ${endpoint}`, ''))
    return `${new Intl.ListFormat('en-GB').format(probes)} of ${endpoint}`
  })
}

function limiterText({ observations }: RunResults, endpoint: string, kind: string): string {
  const figure = (name: string) => {
    const value = observations.find(({ key }) => key === `limits.${endpoint}.limiter.${name}`)?.value
    return typeof value === 'number' ? value : undefined
  }
  if (kind === 'not-throttled') return 'no limit found, since no request was throttled'
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
