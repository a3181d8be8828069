import { randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
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

/** The beginning of a run id. */
const dateAndTime = /^\d{8}T\d{6}/

/**
 * An id for a run, such as `20261121T120624042Z-uat-5f0a`. Ids sort by the time of the start, to the millisecond, and
 * are valid file names on every system.
 */
export function newRunId(target: string, startedAt: Date): string {
  const time = startedAt.toISOString().replace(/[-:.]/g, '')
  return `${time}-${target}-${randomBytes(2).toString('hex')}`
}

/** @throws {SetupError} if the files of a run cannot be written */
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
  return new SetupError({
    name: 'REPORT_DIR',
    what: `(or --out) is ${reportDir}, which is not writable (${code})`,
    example: 'reports',
  })
}

/**
 * Creates `<reportDir>/runs/<id>/`, and points `<reportDir>/latest` to it.
 * @returns the path of the run's directory
 * @throws {SetupError} if the directory cannot be written
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

/**
 * Creates the link `latest` or, if the file system has no links, a text file with the path. Some tools turn the link
 * into a copy of the run; such a copy is replaced.
 */
function nameLatest(reportDir: string, directory: string): void {
  const latest = join(reportDir, 'latest')
  if (isCopy(latest)) rmSync(latest, { recursive: true })
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
 * The directory of a run.
 * @param run a path, an id, `latest`, `latest~2` (the second run before `latest`), or `previous` (`latest~1`)
 * @returns undefined if no such directory has a results.json
 */
export function findRun(reportDir: string, run = 'latest'): string | undefined {
  const latest = /^latest(?:~(\d{1,4}))?$/.exec(run === 'previous' ? 'latest~1' : run)
  const candidates = latest
    ? [runBefore(latestOf(reportDir), Number(latest[1] ?? 0))]
    : [run, join(reportDir, 'runs', run)]
  return candidates.find(
    (candidate) => candidate !== undefined && existsSync(join(candidate, runFiles.results)),
  )
}

/**
 * Directories of the runs in a folder, newest first. Directories whose name is not a run id come last, because their
 * time is unknown.
 */
export function runDirectories(folder: string): string[] {
  const ids = readdirSync(folder)
    .filter((id) => existsSync(join(folder, id, runFiles.results)))
    .sort()
    .reverse()
  const { dated = [], undated = [] } = Object.groupBy(ids, (id) =>
    dateAndTime.test(id) ? 'dated' : 'undated',
  )
  return [...dated, ...undated].map((id) => join(folder, id))
}

/** Directories of the runs in the same folder that began earlier, newest first. */
export function earlierRuns(directory: string): string[] {
  if (!existsSync(directory)) return []
  // The path may be a link to the directory.
  const own = realpathSync(directory)
  return runDirectories(dirname(own)).filter((one) => one < own)
}

function runBefore(directory: string, steps: number): string | undefined {
  return steps === 0 ? directory : earlierRuns(directory)[steps - 1]
}

/**
 * The directory of the latest run: the one that `latest` points to. If `latest` points to no run, or is a copy of a
 * run, the newest run in `runs`, if there is one.
 */
function latestOf(reportDir: string): string {
  const latest = join(reportDir, 'latest')
  const runs = join(reportDir, 'runs')
  const named = namedBy(latest)
  const isNamed = !isCopy(latest) && existsSync(join(named, runFiles.results))
  return (isNamed ? named : existsSync(runs) && runDirectories(runs)[0]) || named
}

/** The path that `latest` contains if it is a text file; otherwise the path of `latest` itself. */
function namedBy(latest: string): string {
  try {
    return join(dirname(latest), readFileSync(latest, 'utf8').trim())
  } catch {
    return latest
  }
}

/** Whether `latest` is a directory with a run, not a link to a run. */
function isCopy(latest: string): boolean {
  return existsSync(join(latest, runFiles.results)) && lstatSync(latest).isDirectory()
}
