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
import { basename, dirname, join, relative } from 'node:path'
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

/** A name for a run that sorts by time and can be a file name everywhere: `20261121T120624Z-uat-5f0a`. */
export function newRunId(target: string, startedAt: Date = new Date()): string {
  const time = startedAt.toISOString().replace(/[-:]|\.\d+/g, '')
  return `${time}-${target}-${randomBytes(2).toString('hex')}`
}

/**
 * Tells before a run begins whether it can be written.
 * @throws {SetupError} where it cannot
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
      what: `(or --out) is ${reportDir}, where no run can be written (${code})`,
      example: 'reports',
    },
  ])
}

/**
 * Makes `<reportDir>/runs/<id>/` and lets `<reportDir>/latest` name it.
 * @returns the path of the run's directory
 * @throws {SetupError} where it cannot be written
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

/** A link where the file system has links, else a text file that holds the path. */
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
 * The directory of a run: by its path, by its id, as `latest`, or as `latest~2`, the second before it
 * (`previous` is `latest~1`). Without any, the latest below `reportDir`.
 * @returns undefined where there is no results.json
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

/** Directories of the runs beside a run that began before it, the newest first. */
export function earlierRuns(directory: string): string[] {
  if (!existsSync(directory)) return []
  // The directory may be named by a link: its neighbours are those of what it names.
  const own = realpathSync(directory)
  const runs = dirname(own)
  return readdirSync(runs)
    .filter((id) => id < basename(own) && existsSync(join(runs, id, runFiles.results)))
    .sort()
    .reverse()
    .map((id) => join(runs, id))
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

/**
 * Replaces a file so that whoever reads it sees the old content or the new, never a part.
 * @throws {SetupError} where it cannot be written, as on a full disk; the old content stays
 */
export function writeAtomically(path: string, content: string): void {
  const pending = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(pending, content)
    renameSync(pending, path)
  } catch (error) {
    rmSync(pending, { force: true })
    const { code } = error as NodeJS.ErrnoException
    const what = `cannot be written (${code}); make room, or name another folder by REPORT_DIR`
    throw new SetupError([{ name: path, what }])
  }
}
