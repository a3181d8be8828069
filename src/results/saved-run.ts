import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SetupError } from '../target/problem.ts'
import { isObject } from '../text/json.ts'
import { readJsonFile } from './json-file.ts'
import { formatVersion, type RunResults } from './results.ts'
import { findRun, runFiles } from './run-directory.ts'

export interface SavedRun {
  readonly directory: string
  readonly results: RunResults
}

/**
 * Opens a run by its path, its id, `latest`, `latest~1` (the run before `latest`) or `previous` (`latest~1`).
 * @param argument the name of the command's argument, for messages
 * @throws {SetupError} if there is no such run, or its results are invalid or have a newer format
 */
export function openRun(reportDir: string, run: string | undefined, argument = 'RUN'): SavedRun {
  const directory = findRun(reportDir, run)
  if (directory !== undefined) return { directory, results: readRun(directory, argument) }
  if (run === undefined || run === 'latest')
    throw new SetupError({
      name: 'REPORT_DIR',
      what: `is ${reportDir}, which contains no run yet; \`npx plumbline check\` writes one`,
    })
  const what =
    basename(run) === runFiles.results && existsSync(run)
      ? `${run} is a file of a run: give its directory, ${dirname(run)}`
      : `${run} is neither a directory with ${runFiles.results} nor a run in ${reportDir}: give a path, an id, latest, latest~1 or previous`
  throw new SetupError({ name: argument, what })
}

/**
 * The results in a run's directory, validated with schemas/run-results.schema.json.
 * @throws {SetupError} if the results are unusable
 */
export function readRun(directory: string, argument = 'RUN'): RunResults {
  const { value } = readJsonFile<RunResults>(join(directory, runFiles.results), {
    option: argument,
    schema: 'run-results',
    hint: 'a run of `npx plumbline check` or `probe` is needed',
    convert: inCurrentFormat,
  })
  return value
}

/** Whether a newer version of Plumbline wrote a run. */
export function isNewerFormat({ formatVersion: format }: { readonly formatVersion?: unknown }): boolean {
  return typeof format === 'number' && format > formatVersion
}

/** Upgrades an older format, and rejects a newer one with a clearer message than that of the schema. */
function inCurrentFormat(value: unknown, fail: (what: string) => SetupError): unknown {
  if (isObject(value) && isNewerFormat(value)) {
    throw fail(
      `has format ${value.formatVersion}, but this version of Plumbline reads formats up to ${formatVersion}: use the newer version that wrote it`,
    )
  }
  return upgradeResults(value)
}

/** In format 1, a reason ended with the dependencies of the check: `see A`, `see A and B` or `see A, B and C`. */
const dependencies = /; see ([A-Z][A-Z0-9]*-[A-Z0-9-]+(?:(?:, | and )[A-Z][A-Z0-9]*-[A-Z0-9-]+)*)\.?$/

/**
 * Converts results of format 1 to format 2: findings have `request`, `expected` and `actual`, and dependencies are ids.
 * Adds fields that older versions expressed in names, keys and texts. Values of any other form stay unchanged, and the
 * schema then rejects them.
 */
export function upgradeResults(results: unknown): unknown {
  if (!isObject(results) || !Array.isArray(results.requirements)) return results
  const { formatVersion: format, requirements, observations } = results
  const checked = format === 1 ? mapChecks(requirements, upgradeCheck) : requirements
  const isProbeRun = isObject(results.run) && results.run.kind === 'probe'
  return {
    ...results,
    formatVersion: format === 1 ? 2 : format,
    requirements: mapChecks(checked, isProbeRun ? withProbe : withBasisDetails),
    ...(isProbeRun && Array.isArray(observations) && { observations: observations.map(withMeasurement) }),
  }
}

function mapChecks(requirements: readonly unknown[], change: (check: unknown) => unknown): unknown[] {
  return requirements.map((one) =>
    isObject(one) && Array.isArray(one.checks) ? { ...one, checks: one.checks.map(change) } : one,
  )
}

/**
 * Adds the member `probe`. In runs of older versions, only the file and the name of a check show that it is a probe,
 * such as `limiter of token`. The notes of the check begin with this name.
 */
function withProbe(check: unknown): unknown {
  if (!isObject(check) || typeof check.name !== 'string') return check
  if (!String(check.file).startsWith('load/probes/')) return check
  const [name, endpoint] = check.name.split(' of ')
  const notes = Array.isArray(check.notes) && { notes: check.notes.map(withSubject(check.name)) }
  return { probe: { name, endpoint }, ...check, ...notes }
}

function withSubject(subject: string): (note: unknown) => unknown {
  const start = `${subject}: `
  return (note) =>
    isObject(note) && typeof note.text === 'string' && note.text.startsWith(start)
      ? { ...note, subject, text: note.text.slice(start.length) }
      : note
}

/**
 * Adds the member `measured`. In runs of older versions, only the key of an observation shows what a probe measured:
 * `limits.token.ramp.rate`.
 */
export function withMeasurement(observation: unknown): unknown {
  if (!isObject(observation) || observation.measured !== undefined) return observation
  const measured = /^limits\.(?<endpoint>[^.]+)\.(?<source>[^.]+)\.(?<figure>.+)/.exec(
    String(observation.key),
  )
  return measured ? { ...observation, measured: { ...measured.groups } } : observation
}

/**
 * Moves times and the seed out of the basis, which contains them in runs of older versions: `seconds since it was
 * replaced`, `ms from …`, `seed`.
 */
function withBasisDetails(check: unknown): unknown {
  if (!isObject(check) || !isObject(check.basis)) return check
  const { seed, ...rest } = check.basis
  const amounts = Object.entries(rest)
  const startingWith = (start: string) =>
    amounts.flatMap(([name, amount]) =>
      name.startsWith(start) ? [[name.slice(start.length), amount] as const] : [],
    )
  const [sinceStart, msStart] = ['seconds since ', 'ms '] as const
  const [seconds, timings] = [startingWith(sinceStart), startingWith(msStart)]
  const counts = amounts.filter(([name]) => !name.startsWith(sinceStart) && !name.startsWith(msStart))
  return {
    ...check,
    basis: Object.fromEntries(counts),
    ...(seconds.length > 0 && { secondsSince: Object.fromEntries(seconds) }),
    ...(timings.length > 0 && { timingsMs: Object.fromEntries(timings) }),
    ...(seed !== undefined && { seed }),
  }
}

function upgradeCheck(check: unknown): unknown {
  if (!isObject(check)) return check
  const { expectation, sent, ...kept } = check
  const reason = typeof check.reason === 'string' ? check.reason : undefined
  const [tail, ids] = dependencies.exec(reason ?? '') ?? []
  return {
    ...kept,
    ...(reason !== undefined && tail && { reason: reason.slice(0, -tail.length) }),
    advice: null,
    dependsOn: ids?.split(/, | and /) ?? [],
    finding: isObject(expectation)
      ? { request: sent ?? null, expected: expectation.acceptable, actual: expectation.came }
      : null,
  }
}
