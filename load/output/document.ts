import type { Shot } from '../engine/shot.ts'
import type { ProbeResult } from '../result.ts'
import { type Counts, countsOf } from './outcome.ts'
import { type TimesByOutcome, timesByOutcome } from './percentiles.ts'

/** The JSON file of a probe: its result, counts by outcome, and percentiles. */
export type ProbeDocument = ProbeResult & { readonly counts: Counts; readonly times: TimesByOutcome }

export function probeDocument(result: ProbeResult): ProbeDocument {
  const { shots, requests } = result
  return { ...result, counts: countsOf(shots, requests), times: timesByOutcome(shots) }
}

const columns = ['intended_ms', 'sent_ms', 'ended_ms', 'status', 'failure', 'retry_after_ms'] as const

/**
 * Shots as CSV (RFC 4180), one per line in the order of sending. Times are in milliseconds since the probe began to send,
 * with three decimals. A field without a value is empty, and no value needs quotes.
 */
export function shotsCsv(shots: readonly Shot[]): string {
  const lines = shots
    .toSorted((one, other) => one.sentAt - other.sentAt)
    .map(({ intendedAt, sentAt, endedAt, status, failure, retryAfterMs }) =>
      [ms(intendedAt), ms(sentAt), ms(endedAt), status ?? '', failure ?? '', ms(retryAfterMs)].join(','),
    )
  return [columns.join(','), ...lines, ''].join('\r\n')
}

function ms(value: number | undefined): number | string {
  return value === undefined ? '' : Math.round(value * 1000) / 1000
}
