import { counted } from '../../src/text/format.ts'
import type { Shot } from '../engine/shot.ts'
import { countByOutcome } from '../output/outcome.ts'
import { timesByOutcome } from '../output/percentiles.ts'
import { latencyText, rateText, wholeMs } from '../output/words.ts'
import type { ProbeResult } from '../result.ts'
import { type RecordsFile, readRecords, type WorkerRecords } from './records.ts'

/**
 * What workers of an exported scenario did, as one probe: a constant arrival rate, held by all of them together.
 * Times of different machines are put side by side as their clocks say.
 * @throws {SetupError} which names the file and the line of each mistake
 */
export function importArtillery(files: readonly RecordsFile[]): ProbeResult {
  const workers = readRecords(files)
  const [first] = workers as [WorkerRecords, ...WorkerRecords[]]
  const begin = workers.reduce(
    (earliest, { begin: { at } }) => Math.min(earliest, at),
    Number.POSITIVE_INFINITY,
  )
  const requests = workers.flatMap((worker) => worker.requests)
  const shots = requests
    .map(
      ({ intendedAt, sentAt, endedAt, status, failure, retryAfterMs }): Shot => ({
        intendedAt: intendedAt - begin,
        sentAt: sentAt - begin,
        endedAt: endedAt - begin,
        ...(status !== undefined && { status }),
        ...(failure !== undefined && { failure }),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      }),
    )
    .sort((one, other) => one.sentAt - other.sentAt)
  const held = workers.flatMap(({ suppressed }) => suppressed)
  const planned = sum(workers.map((worker) => worker.begin.share))
  const left = Math.max(0, planned - shots.length - held.length)
  const seconds = workers.reduce((most, worker) => Math.max(most, worker.begin.seconds), 0)
  const throttled = countByOutcome(shots).throttled
  const { accepted } = timesByOutcome(shots)
  const { endpoint } = first.begin
  const observations = {
    workers: workers.length,
    throttled: throttled > 0,
    suppressed: held.length,
    'left-out': left,
    'latency-p99-ms': wholeMs(accepted.latencyMs?.p99),
  }
  return {
    probe: 'hold',
    endpoint,
    startedAt: new Date(begin).toISOString(),
    finding: [
      `${counted(workers.length, 'worker')} of Artillery, ${rateText(planned / seconds)}/s together: ${throttled === 0 ? 'none' : throttled} of ${shots.length} throttled`,
      ...(accepted.count > 0 ? [`latency ${latencyText(accepted, ['p50', 'p99'])}`] : []),
      ...(left > 0
        ? [`${counted(left, 'arrival')} left out for want of a free connection: THE RATE WAS NOT MET`]
        : []),
    ].join('; '),
    ended:
      held.length === 0 ? null : `workers held back ${counted(held.length, 'request')} (${reasons(held)})`,
    requests: shots.length + requests.filter(({ reconnected }) => reconnected).length,
    shots,
    holds: shots.flatMap(({ endedAt, retryAfterMs }) =>
      retryAfterMs ? [{ from: endedAt, until: endedAt + retryAfterMs }] : [],
    ),
    stages: [{ from: 0, until: seconds * 1000, ratePerSecond: planned / seconds }],
    observations: Object.entries(observations).map(([key, value]) => ({
      key: `limits.${endpoint}.artillery.${key}`,
      value,
    })),
  }
}

function reasons(held: WorkerRecords['suppressed']): string {
  return [...Map.groupBy(held, ({ because }) => because)]
    .map(([because, some]) => `${because}: ${some.length}`)
    .join(', ')
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
