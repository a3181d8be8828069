import { randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { SetupError } from '../target/problem.ts'

/** Names of the files and folders of a run, relative to its directory. */
export const runFiles = {
  results: 'results.json',
  allureResults: 'allure-results',
  report: join('report', 'index.html'),
  junit: 'junit.xml',
  summary: 'summary.md',
  probes: 'probes',
} as const

/** A name for a run that sorts by time, in milliseconds, and is a valid file name everywhere: `20261121T120624042Z-uat-5f0a`. */
export function newRunId(target: string, startedAt: Date): string {
  const time = startedAt.toISOString().replace(/[-:.]/g, '')
  return `${time}-${target}-${randomBytes(2).toString('hex')}`
}

/**
 * Checks before a run that its files can be written.
 * @throws {SetupError} if not
 */
export function requireWritable(reportDir: string): void {
  const runs = join(reportDir, 'runs')
  try {
    mkdirSync(runs, { recursive: true })
    accessSync(runs, constants.W_OK)
  } catch (error) {
    throw unwritable(reportDir, error)
  }
}

function unwritable(reportDir: string, error: unknown): SetupError {
  const { code } = error as NodeJS.ErrnoException
  return new SetupError([
    {
      name: 'REPORT_DIR',
      what: `(or --out) is ${reportDir}, which is not writable (${code})`,
      example: 'reports',
    },
  ])
}

/**
 * Creates `<reportDir>/runs/<id>/`, and points `<reportDir>/latest` to it.
 * @returns the path of the run's directory
 * @throws {SetupError} if it cannot be written
 */
export function createRunDirectory(reportDir: string, id: string): string {
  const directory = join(reportDir, 'runs', id)
  try {
    mkdirSync(directory, { recursive: true })
    nameLatest(reportDir, directory)
  } catch (error) {
    throw unwritable(reportDir, error)
  }
  return directory
}

/** Creates a link or, if the file system has no links, a text file with the path. */
function nameLatest(reportDir: string, directory: string): void {
  const latest = join(reportDir, 'latest')
  const pending = `${latest}.${process.pid}`
  const path = relative(reportDir, directory)
  rmSync(pending, { force: true })
  try {
    symlinkSync(path, pending, 'dir')
  } catch {
    writeFileSync(pending, `${path}\n`)
  }
  renameSync(pending, latest)
}

/**
 * The directory of a run, given as a path, an id, `latest`, `latest~2` (the second run before it), or `previous`
 * (`latest~1`).
 * @returns undefined if it has no results.json
 */
export function findRun(reportDir: string, run = 'latest'): string | undefined {
  const [, back] = run === 'previous' ? [run, '1'] : (/^latest(?:~(\d{1,4}))?$/.exec(run) ?? [])
  const latest = run === 'latest' || back !== undefined
  const candidates = latest
    ? [before(latestOf(reportDir), Number(back ?? 0))]
    : [run, join(reportDir, 'runs', run)]
  return candidates.find(
    (candidate) => candidate !== undefined && existsSync(join(candidate, runFiles.results)),
  )
}

/** Directories of the runs in a folder, newest first. */
export function runDirectories(folder: string): string[] {
  return readdirSync(folder)
    .map((id) => join(folder, id))
    .filter((directory) => existsSync(join(directory, runFiles.results)))
    .sort()
    .reverse()
}

/** Directories of the runs in the same folder that began earlier, newest first. */
export function earlierRuns(directory: string): string[] {
  if (!existsSync(directory)) return []
  // The path may be a link to the directory.
  const own = realpathSync(directory)
  return runDirectories(dirname(own)).filter((one) => one < own)
}

function before(directory: string, steps: number): string | undefined {
  return steps === 0 ? directory : earlierRuns(directory)[steps - 1]
}

function latestOf(reportDir: string): string {
  const latest = join(reportDir, 'latest')
  try {
    return join(reportDir, readFileSync(latest, 'utf8').trim())
  } catch {
    // A link, or nothing.
    return latest
  }
}
