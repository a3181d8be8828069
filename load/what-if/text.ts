import { counted, duration, milliseconds, rateText, wrap } from '../../src/text/format.ts'
import { documentedRetries } from './simulation.ts'
import type { WhatIf } from './what-if.ts'

/** Part of the limiter's rate at which the sentence names the failures. */
const tooMuch = 1.25

/** What a partner can count on, in one sentence. */
export function whatIfSentence({ limiter, clean, calls }: WhatIf): string {
  const upTo = (arrivals: 'even' | 'random') =>
    clean.find((one) => one.arrivals === arrivals && one.clients === 1)?.ratePerSecond
  const [even, random] = [upTo('even'), upTo('random')]
  const over = calls.find(({ ratePerSecond }) => ratePerSecond >= limiter.ratePerSecond * tooMuch)
  return [
    ...(even === undefined
      ? []
      : [`up to ${rateText(even)} calls/s all succeed at first try where they are evenly spaced`]),
    random
      ? `up to ${rateText(random)} calls/s where they come at random times`
      : 'at random times none is safe',
    ...(over
      ? [
          `at ${rateText(over.ratePerSecond)}/s ${share(over.failed, over.calls)} fail after up to ${documentedRetries} retries`,
        ]
      : []),
  ].join('; ')
}

/** Tables for a terminal. */
export function whatIfLines(whatIf: WhatIf, width: number): string[] {
  const { limiter, retryAfter, seed, clean, calls, pollers } = whatIf
  const clients = [...new Set(pollers.map((one) => one.clients))]
  const intervals = [...new Set(pollers.map(({ intervalMs }) => intervalMs))]
  const pages = pollers[0]?.pages ?? 0
  return [
    ...wrap(
      `What if: ${limiter.name}, ${limiter.capacity} at once, ${rateText(limiter.ratePerSecond)}/s in the long run, ${retryAfter ? 'with' : 'without'} Retry-After (nothing is sent; seed ${seed})`,
      width,
      2,
    ),
    ...wrap(`  ${whatIfSentence(whatIf)}`, width, 2),
    '',
    `  Calls of one client at random times, back-off from 1 s to 30 s, ${documentedRetries} retries`,
    ...table(
      ['calls/s', 'at first try', 'after retries', 'failed', 'requests/call', 'waited p50', 'p99'],
      calls.map((one) => [
        rateText(one.ratePerSecond),
        share(one.atFirstTry, one.calls),
        share(one.afterRetries, one.calls),
        share(one.failed, one.calls),
        (one.requests / one.calls).toFixed(2),
        waitText(one.waitedMs?.p50),
        waitText(one.waitedMs?.p99),
      ]),
    ),
    '',
    '  Clients on the same key, each evenly spaced: all calls succeed at first try up to',
    ...table(
      ['clients', 'calls/s', 'each'],
      clean
        .filter(({ arrivals }) => arrivals === 'even')
        .map((one) => [
          String(one.clients),
          rateText(one.ratePerSecond),
          rateText(one.ratePerSecond / one.clients),
        ]),
    ),
    '',
    `  Pollers on the same key, ${counted(pages, 'page')} a search: searches with every page at first try`,
    ...table(
      ['every', ...clients.map((count) => counted(count, 'poller'))],
      intervals.map((intervalMs) => [
        intervalMs < 60_000 ? `${intervalMs / 1000} s` : `${intervalMs / 60_000} min`,
        ...pollers
          .filter((one) => one.intervalMs === intervalMs)
          .map(({ atFirstTry, searches, late }) =>
            late === 0
              ? share(atFirstTry, searches)
              : `${share(atFirstTry, searches)}, ${share(late, searches)} late`,
          ),
      ]),
    ),
  ]
}

/** Empty where no call waited, or too few for the percentile. */
function waitText(ms: number | null | undefined): string {
  if (typeof ms !== 'number') return ''
  return ms < 100_000 ? milliseconds(ms) : duration(ms)
}

/** A part in percent; `all` and `none` only where that is exact. */
export function share(part: number, whole: number): string {
  if (part === whole) return 'all'
  if (part === 0) return 'none'
  const percent = (100 * part) / whole
  if (percent < 0.1) return '< 0.1 %'
  if (percent > 99.9) return '> 99.9 %'
  return `${percent < 10 ? percent.toFixed(1) : Math.min(99, percent).toFixed(0)} %`
}

/** Columns are as wide as their widest cell, aligned right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, column) =>
    [head, ...rows].reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  )
  return [head, ...rows].map(
    (row) => `    ${row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')}`,
  )
}
