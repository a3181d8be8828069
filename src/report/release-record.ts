import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { ReleaseDecision } from '../release/decision.ts'
import type { Gated } from '../release/gate.ts'
import { decisionMarkdown } from '../release/text.ts'
import { decidedLittle } from '../results/decided-little.ts'
import { runFiles } from '../results/run-directory.ts'
import type { SavedRun } from '../results/saved-run.ts'
import { SetupError } from '../target/problem.ts'
import { code } from '../text/markdown.ts'
import { pages } from './pages/page.ts'
import { renderOverview, writeReports } from './report.ts'

/** The file of checksums, which `sha256sum -c` reads. */
const checksums = 'SHA256SUMS'
const schemas = ['run-results', 'release-policy', 'waivers', 'release-decision']

export interface RecordContents extends Gated {
  readonly run: SavedRun
}

/**
 * Writes all evidence of a decision into a new folder, with checksums. The folder is created atomically, and needs no
 * file outside of it.
 * @throws {SetupError} if the folder already exists, cannot be written, or the report cannot be built
 */
export async function writeRecord(directory: string, contents: RecordContents): Promise<void> {
  const pending = pendingFor(directory)
  try {
    mkdirSync(pending)
    await fill(pending, contents)
    writeFileSync(join(pending, checksums), checksumsOf(pending))
    // Another process may have created the folder meanwhile.
    rejectExisting(directory)
    renameSync(pending, directory)
  } catch (error) {
    rmSync(pending, { recursive: true, force: true })
    throw error instanceof SetupError ? error : unwritable(directory, error)
  }
}

/** Ensures, before the decision, that `writeRecord` can write the folder. @throws {SetupError} if not */
export function requireRecordable(directory: string): void {
  rejectExisting(directory)
  const pending = pendingFor(directory)
  try {
    mkdirSync(pending, { recursive: true })
    rmSync(pending, { recursive: true })
  } catch (error) {
    throw unwritable(directory, error)
  }
}

/** The temporary folder in which a record is built. */
function pendingFor(directory: string): string {
  return join(dirname(resolve(directory)), `.${basename(resolve(directory))}.${process.pid}.tmp`)
}

function unwritable(directory: string, error: unknown): SetupError {
  const { code, message } = error as NodeJS.ErrnoException
  return problem(`${directory} cannot be written (${code ?? message})`)
}

async function fill(folder: string, { run, decision, policy, waivers }: RecordContents): Promise<void> {
  const report = Object.keys(pages).map((page) => join(dirname(runFiles.report), page))
  const built = report.every((page) => existsSync(join(run.directory, page)))
  if (!built && (await writeReports(run.directory)) === undefined)
    throw problem('is not written: it needs the HTML report of the run')
  for (const name of [...report, runFiles.junit, runFiles.summary, runFiles.probes]) {
    const source = join(run.directory, name)
    if (existsSync(source)) cpSync(source, join(folder, name), { recursive: true, dereference: true })
  }
  // The reports of the run show the decision of the project's policy. Those of the record show `decision`.
  const { page, summary } = renderOverview(run.directory, run.results, { decision, file: 'policy.json' })
  writeFileSync(join(folder, runFiles.report), page)
  writeFileSync(join(folder, runFiles.summary), summary)
  for (const name of schemas) {
    const source = new URL(`../../schemas/${name}.schema.json`, import.meta.url)
    cpSync(source, join(folder, 'schemas', `${name}.schema.json`))
  }
  const files = {
    // In the current format, which the schemas describe. The file of an earlier version may have an older format.
    [runFiles.results]: JSON.stringify(run.results),
    'policy.json': policy,
    ...(waivers !== undefined && { 'waivers.json': waivers }),
    'decision.json': `${JSON.stringify(decision, null, 2)}\n`,
    'decision.md': `${decisionMarkdown(decision, 'policy.json', { notice: decidedLittle(run.results) })}${about}`,
    'versions.json': `${JSON.stringify(versions(run, decision), null, 2)}\n`,
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
}

/** @throws {SetupError} if the folder exists */
function rejectExisting(directory: string): void {
  if (existsSync(directory))
    throw problem(`${directory} already exists, and a record is never replaced: choose a new folder`)
}

function problem(what: string): SetupError {
  return new SetupError({ name: '--record', what, example: 'releases/2026-11-21' })
}

const about = `
## This record

${code('report/index.html')} and its linked pages open in a browser without a network; ${code('results.json')} contains the same for
programs, as ${code('schemas/')} describes. Run ${code(`sha256sum -c ${checksums}`)} in this folder to verify that no
file has changed.
`

function versions({ results: { run, formatVersion } }: SavedRun, decision: ReleaseDecision) {
  return {
    plumbline: { run: run.version, decision: decision.version },
    node: { run: run.software?.node ?? null, decision: process.versions.node },
    browser: run.software?.browser ?? null,
    formats: { results: formatVersion, decision: decision.formatVersion },
  }
}

/** Lines as `sha256sum` writes them, sorted by path. */
function checksumsOf(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .sort()
    .map((name) => {
      const digest = createHash('sha256')
        .update(readFileSync(join(directory, name)))
        .digest('hex')
      return `${digest}  ${name}\n`
    })
    .join('')
}
