import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SetupError } from '../target/problem.ts'
import { readJsonFile } from './json-file.ts'
import type { RunResults } from './results.ts'
import { findRun, runFiles } from './run-directory.ts'
import { upgradeResults } from './upgrade.ts'

/** A run that was read back from disk. */
export interface SavedRun {
  readonly directory: string
  readonly results: RunResults
}

/** The format that this version writes; earlier ones are upgraded when they are read. */
const formatVersion = 2

/**
 * A run by its path, its id, `latest`, `latest~1` (the one before it) or `previous` (the same).
 * @param argument what the command calls it, for messages
 * @throws {SetupError} one sentence, where it is unknown, no run, or of another format
 */
export function openRun(reportDir: string, run: string | undefined, argument = 'RUN'): SavedRun {
  const directory = findRun(reportDir, run)
  if (directory !== undefined) return { directory, results: readRun(directory, argument) }
  throw new SetupError([
    run === undefined || run === 'latest'
      ? { name: 'REPORT_DIR', what: `holds no run yet (${reportDir}): plumbline check writes one` }
      : {
          name: argument,
          what:
            basename(run) === runFiles.results && existsSync(run)
              ? `${run} is a file of a run: give its directory, ${dirname(run)}`
              : `${run} is neither a directory with ${runFiles.results} nor a run in ${reportDir}: give a path, an id, latest, latest~1 or previous`,
        },
  ])
}

/**
 * The results in a run's directory, held against schemas/run-results.schema.json.
 * @throws {SetupError} one sentence, where they cannot be used
 */
export function readRun(directory: string, argument = 'RUN'): RunResults {
  const { value } = readJsonFile<RunResults>(join(directory, runFiles.results), {
    option: argument,
    schema: 'run-results',
    hint: 'a run of plumbline check or probe is needed',
    convert: inCurrentFormat,
  })
  return value
}

interface Versioned {
  readonly formatVersion?: unknown
}

/** Whether a run was written by a Plumbline that knows more than this one. */
export function isNewerFormat({ formatVersion: format }: Versioned): boolean {
  return typeof format === 'number' && format > formatVersion
}

/** A newer format need not fit the schema at all, so its error comes first. */
function inCurrentFormat(value: unknown, fail: (what: string) => SetupError): unknown {
  const head = (value ?? {}) as Versioned
  if (isNewerFormat(head)) {
    throw fail(
      `has format ${head.formatVersion}, and this Plumbline reads format ${formatVersion}: a newer one wrote it`,
    )
  }
  return upgradeResults(value)
}
