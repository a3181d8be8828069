import { z } from 'zod'
import { type Problem, SetupError } from '../../src/target/problem.ts'
import { counted, rateText } from '../../src/text/format.ts'
import { endpointNames } from '../endpoints.ts'
import { type Shot, shotSince } from '../engine/shot.ts'
import { countByOutcome, throttledText } from '../output/outcome.ts'
import { latencyText, timesByOutcome, wholeMs } from '../output/percentiles.ts'
import { findingOf } from '../probes/probe.ts'
import { limitObservations, type ProbeResult, waitsOf } from '../result.ts'

/** Milliseconds since the epoch, at most the last time that a Date represents. */
const time = z.number().positive().max(8.64e15)
const worker = z.string().min(1)

const begin = z.strictObject({
  kind: z.literal('begin'),
  worker,
  format: z.literal(1),
  endpoint: z.enum(endpointNames),
  /** Number of requests and reconnects that the worker may use. */
  share: z.int().positive(),
  seconds: z.number().positive(),
  at: time,
})

const request = z
  .strictObject({
    kind: z.literal('request'),
    worker,
    intendedAt: time,
    sentAt: time,
    endedAt: time,
    status: z.int().min(100).max(599).optional(),
    failure: z.enum(['refused', 'reset', 'timed-out']).optional(),
    retryAfterMs: z.number().nonnegative().optional(),
    /** Whether the request reconnected. */
    reconnected: z.boolean(),
  })
  .refine(
    (one) => (one.status === undefined) !== (one.failure === undefined),
    'needs either a status or a failure',
  )
  .refine((one) => one.intendedAt <= one.sentAt && one.sentAt <= one.endedAt, 'ends before it starts')

const suppressed = z.strictObject({
  kind: z.literal('suppressed'),
  worker,
  at: time,
  because: z.enum(['variable', 'ended', 'retry-after', 'budget']),
})

const line = z.discriminatedUnion('kind', [begin, request, suppressed])
type Line = z.output<typeof line>
type BeginLine = z.output<typeof begin>
type RequestLine = z.output<typeof request>

interface RecordsFile {
  readonly name: string
  readonly text: string
}

/**
 * Converts the records of an exported scenario to the result of one probe `hold`: the constant arrival rate of all
 * workers together. Clock differences between machines are not adjusted.
 * @param files files of the workers; one file may contain several workers
 * @throws {SetupError} with file and line of each error
 */
export function importArtillery(files: readonly RecordsFile[]): ProbeResult {
  return resultOf(totalsOf(readRecords(files)))
}

type Totals = ReturnType<typeof totalsOf>

function totalsOf({ begins, lines }: Records) {
  const [{ endpoint }] = begins
  const requests = lines.filter((one) => one.kind === 'request')
  const suppressed = lines.filter((one) => one.kind === 'suppressed').map(({ because }) => because)
  const start = begins.reduce((earliest, { at }) => Math.min(earliest, at), Number.POSITIVE_INFINITY)
  const planned = begins.reduce((sum, { share }) => sum + share, 0)
  const seconds = begins.reduce((most, one) => Math.max(most, one.seconds), 0)
  return {
    endpoint,
    workers: begins.length,
    /** Milliseconds since the epoch; times of shots count from here. */
    start,
    seconds,
    ratePerSecond: planned / seconds,
    shots: requests.map((one) => shotOf(one, start)).sort((one, other) => one.sentAt - other.sentAt),
    reconnects: requests.filter(({ reconnected }) => reconnected).length,
    /** One reason for each request that a worker did not send. */
    suppressed,
    /** Number of arrivals that Artillery left out, since no connection was free. */
    leftOut: Math.max(0, planned - requests.length - suppressed.length),
  }
}

function shotOf({ kind: _, worker: _w, reconnected: _r, ...shot }: RequestLine, start: number): Shot {
  return shotSince(start, shot as Shot)
}

function resultOf(totals: Totals): ProbeResult {
  const { endpoint, start, seconds, ratePerSecond, shots, reconnects, suppressed } = totals
  return {
    probe: 'hold',
    endpoint,
    startedAt: new Date(start).toISOString(),
    ...findingIn(totals),
    ended:
      suppressed.length === 0
        ? null
        : `workers suppressed ${counted(suppressed.length, 'request')} (${reasonsText(suppressed)})`,
    requests: shots.length + reconnects,
    shots,
    waits: waitsOf(shots),
    stages: [{ from: 0, until: seconds * 1000, ratePerSecond }],
    observations: observationsOf(totals),
  }
}

function findingIn({ workers, ratePerSecond, shots, leftOut }: Totals) {
  const { accepted } = timesByOutcome(shots)
  return findingOf(
    `${counted(workers, 'Artillery worker')}, ${rateText(ratePerSecond)}/s in total: ${throttledText(shots)}`,
    ...(accepted.count > 0 ? [`latency ${latencyText(accepted)}`] : []),
    ...(leftOut > 0
      ? [`${counted(leftOut, 'arrival')} omitted without a free connection: THE RATE WAS NOT MET`]
      : []),
  )
}

function observationsOf({ endpoint, workers, shots, suppressed, leftOut }: Totals) {
  // Drift compares these keys with earlier runs: a new name would lose the earlier values.
  const observations = {
    workers,
    throttled: countByOutcome(shots).throttled > 0,
    suppressed: suppressed.length,
    'left-out': leftOut,
    'latency-p99-ms': wholeMs(timesByOutcome(shots).accepted.latencyMs?.p99),
  }
  return limitObservations(endpoint, 'artillery', observations)
}

function reasonsText(suppressed: readonly string[]): string {
  return [...Map.groupBy(suppressed, (because) => because)]
    .map(([because, requests]) => `${because}: ${requests.length}`)
    .join(', ')
}

/** Largest number of reported errors: a file with more errors contains no records. */
const maxProblems = 20

interface Records {
  /** The first line of each worker. */
  readonly begins: readonly [BeginLine, ...BeginLine[]]
  readonly lines: readonly Line[]
}

/** @throws {SetupError} with file and line of each error */
function readRecords(files: readonly RecordsFile[]): Records {
  const problems: Problem[] = []
  const lines = files.flatMap(({ name, text }) =>
    text.split(/\r?\n/).flatMap((content, index) => {
      if (content.trim() === '') return []
      const where = `${name}:${index + 1}`
      const value = parse(content)
      if (typeof value !== 'string') return [{ where, value }]
      problems.push({ name: where, what: value })
      return []
    }),
  )
  const begins = new Map<string, BeginLine>()
  for (const { where, value } of lines) {
    if (value.kind !== 'begin') continue
    if (begins.has(value.worker))
      problems.push({
        name: where,
        what: `starts worker ${value.worker} a second time: remove the duplicate file`,
      })
    begins.set(value.worker, value)
  }
  for (const { where, value } of lines)
    if (!begins.has(value.worker))
      problems.push({ name: where, what: `belongs to worker ${value.worker}, which has no begin line` })
  if (lines.length === 0 && problems.length === 0)
    problems.push({ name: '--import', what: 'matches no file with records', example: 'records-*.jsonl' })
  const endpoints = new Set([...begins.values()].map(({ endpoint }) => endpoint))
  if (endpoints.size > 1)
    problems.push({
      name: '--import',
      what: `contains records of several endpoints: ${[...endpoints].join(', ')}`,
    })
  if (problems.length > 0) throw new SetupError(problems.slice(0, maxProblems))
  // Not empty: there is a line, and each line belongs to a worker with a begin line.
  const all = [...begins.values()] as [BeginLine, ...BeginLine[]]
  return { begins: all, lines: lines.map(({ value }) => value) }
}

/** @returns the line, or an error text */
function parse(content: string): Line | string {
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    return 'is not JSON'
  }
  const read = line.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const path = issue?.path.join('.') ?? ''
  return path === '' ? `is not a record: ${issue?.message}` : `has an invalid ${path}: ${issue?.message}`
}
