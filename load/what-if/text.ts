import { counted, duration, milliseconds, rateText, wrap } from '../../src/text/format.ts'
import { documentedRetries } from './simulation.ts'
import type { WhatIf } from './what-if.ts'

/** The share of the limiter's rate at which the sentence states the failures. */
const tooMuch = 1.25

/** The throughput that partners can expect, in one sentence. */
export function whatIfSentence({ limiter, safeRates, calls }: WhatIf): string {
  const upTo = (arrivals: 'even' | 'random') =>
    safeRates.find((one) => one.arrivals === arrivals && one.clients === 1)?.ratePerSecond
  const [even, random] = [upTo('even'), upTo('random')]
  const over = calls.find(({ ratePerSecond }) => ratePerSecond >= limiter.ratePerSecond * tooMuch)
  const evenText = even === undefined ? '' : `up to ${rateText(even)} calls/s if evenly spaced, and `
  const first = random
    ? `All calls succeed at the first attempt ${evenText}up to ${rateText(random)} calls/s at random times.`
    : even === undefined
      ? 'No rate of calls at random times is safe.'
      : `All calls succeed at the first attempt up to ${rateText(even)} calls/s if evenly spaced, but at no rate at random times.`
  return [first, ...(over ? [overText(over)] : [])].join(' ')
}

function overText({ ratePerSecond, failed, calls }: WhatIf['calls'][number]): string {
  const [text, verb] =
    failed === 0
      ? ['no call', 'fails']
      : failed === calls
        ? ['all calls', 'fail']
        : [`${share(failed, calls)} of the calls`, 'fail']
  return `At ${rateText(ratePerSecond)} calls/s at random times, ${text} ${verb} even after ${documentedRetries} retries.`
}

/** Tables for a terminal. */
export function whatIfLines(whatIf: WhatIf, width: number): string[] {
  const { limiter, retryAfter, seed, safeRates, calls, pollers } = whatIf
  const clients = [...new Set(pollers.map((one) => one.clients))]
  const intervals = [...new Set(pollers.map(({ intervalMs }) => intervalMs))]
  const pages = pollers[0]?.pages ?? 0
  return [
    ...wrap(
      `What if: ${limiter.name}, ${limiter.capacity} requests at once, ${rateText(limiter.ratePerSecond)} requests/s on average, ${retryAfter ? 'with' : 'without'} Retry-After (simulation, random seed ${seed})`,
      width,
      2,
    ),
    ...wrap(`  ${whatIfSentence(whatIf)}`, width, 2),
    '',
    `  Calls of one client at random times, back-off from 1 s to 30 s, ${documentedRetries} retries`,
    ...table(
      ['calls/s', 'first attempt', 'after retries', 'failed', 'requests/call', 'waited p50', 'p99'],
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
    '  Clients on the same key, each evenly spaced: all calls succeed at the first attempt up to',
    ...table(
      ['clients', 'calls/s', 'each'],
      safeRates
        .filter(({ arrivals }) => arrivals === 'even')
        .map((one) => [
          String(one.clients),
          rateText(one.ratePerSecond),
          rateText(one.ratePerSecond / one.clients),
        ]),
    ),
    '',
    `  Pollers on the same key, ${counted(pages, 'page')} per search: searches with all pages at the first attempt`,
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

/** Empty if no call waited, or too few for the percentile. */
function waitText(ms: number | null | undefined): string {
  if (typeof ms !== 'number') return ''
  return ms < 100_000 ? milliseconds(ms) : duration(ms)
}

/** A share in percent; `all` and `none` only if exact. */
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
