import { z } from 'zod'
import { type Problem, SetupError } from '../../src/target/problem.ts'
import { endpointNames } from '../endpoints.ts'

/** Milliseconds since the epoch. */
const time = z.number().positive()
const worker = z.string().min(1)

const begin = z.strictObject({
  kind: z.literal('begin'),
  worker,
  format: z.literal(1),
  endpoint: z.enum(endpointNames),
  /** Requests and reconnects that the worker may take. */
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
    /** Whether it made a connection in place of one that was lost. */
    reconnected: z.boolean(),
  })
  .refine(
    (one) => (one.status === undefined) !== (one.failure === undefined),
    'needs either a status or a failure',
  )
  .refine((one) => one.intendedAt <= one.sentAt && one.sentAt <= one.endedAt, 'ends before it began')

const suppressed = z.strictObject({
  kind: z.literal('suppressed'),
  worker,
  at: time,
  because: z.enum(['variable', 'ended', 'retry-after', 'budget']),
})

const line = z.discriminatedUnion('kind', [begin, request, suppressed])

export type BeginLine = z.output<typeof begin>
export type RequestLine = z.output<typeof request>
export type SuppressedLine = z.output<typeof suppressed>

/** What one worker did. */
export interface WorkerRecords {
  readonly begin: BeginLine
  readonly requests: readonly RequestLine[]
  readonly suppressed: readonly SuppressedLine[]
}

export interface RecordsFile {
  readonly name: string
  readonly text: string
}

/**
 * Reads the files of workers; one file may hold several.
 * @throws {SetupError} which names the file and the line of each mistake
 */
export function readRecords(files: readonly RecordsFile[]): WorkerRecords[] {
  const problems: Problem[] = []
  const lines = files.flatMap(({ name, text }) =>
    text.split(/\r?\n/).flatMap((content, index) => {
      if (content.trim() === '') return []
      const where = `${name}:${index + 1}`
      const read = parse(content)
      if (typeof read !== 'string') return [{ where, value: read }]
      problems.push({ name: where, what: read })
      return []
    }),
  )
  const begins = new Map<string, BeginLine>()
  for (const { where, value } of lines) {
    if (value.kind !== 'begin') continue
    if (begins.has(value.worker))
      problems.push({ name: where, what: `begins worker ${value.worker} once more: a file was given twice` })
    begins.set(value.worker, value)
  }
  for (const { where, value } of lines)
    if (!begins.has(value.worker))
      problems.push({ name: where, what: `is of worker ${value.worker}, whose beginning is missing` })
  if (lines.length === 0 && problems.length === 0)
    problems.push({ name: '--import', what: 'names no file with records', example: 'records-*.jsonl' })
  const endpoints = new Set([...begins.values()].map(({ endpoint }) => endpoint))
  if (endpoints.size > 1)
    problems.push({
      name: '--import',
      what: `names records of several endpoints: ${[...endpoints].join(', ')}`,
    })
  if (problems.length > 0) throw new SetupError(problems.slice(0, mostProblems))
  const values = lines.map(({ value }) => value)
  return [...begins.values()].map((one) => {
    const own = values.filter((value) => value.worker === one.worker)
    return {
      begin: one,
      requests: own.filter((value) => value.kind === 'request'),
      suppressed: own.filter((value) => value.kind === 'suppressed'),
    }
  })
}

/** After so many a file is just not one of records. */
const mostProblems = 20

/** @returns the line, or what is wrong with it */
function parse(content: string): z.output<typeof line> | string {
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
  return path === '' ? `is no record: ${issue?.message}` : `has a wrong ${path}: ${issue?.message}`
}
