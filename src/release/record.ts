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
import { fileURLToPath } from 'node:url'
import { pages } from '../report/pages/page.ts'
import { buildReport } from '../report/report.ts'
import { runFiles } from '../results/run-directory.ts'
import type { SavedRun } from '../results/saved-run.ts'
import { SetupError } from '../target/problem.ts'
import { code } from '../text/markdown.ts'
import type { Decision } from './decision.ts'
import { decisionMarkdown } from './markdown.ts'

/** Name of the list of checksums, which `sha256sum -c` reads. */
const checksums = 'SHA256SUMS'
const schemas = ['run-results', 'release-policy', 'waivers', 'release-decision']

export interface RecordContents {
  readonly run: SavedRun
  readonly decision: Decision
  /** The policy file as it is. */
  readonly policy: string
  /** The list of waivers as it is; undefined where there is none. */
  readonly waivers?: string
}

/**
 * Writes everything that a decision rests on into a new folder, with checksums. The folder appears as a
 * whole or not at all, and needs nothing from outside to be read.
 * @param warn takes one sentence where something is amiss
 * @throws {SetupError} where the folder is there already, cannot be written, or the report cannot be built
 */
export async function writeRecord(
  directory: string,
  { run, decision, policy, waivers }: RecordContents,
  warn: (sentence: string) => void = console.error,
): Promise<void> {
  refuseExisting(directory)
  const built = Object.keys(pages).every((page) =>
    existsSync(join(run.directory, dirname(runFiles.report), page)),
  )
  const pending = join(dirname(resolve(directory)), `.${basename(resolve(directory))}.${process.pid}.tmp`)
  const write = (name: string, content: string) => {
    mkdirSync(dirname(join(pending, name)), { recursive: true })
    writeFileSync(join(pending, name), content)
  }
  try {
    // Whether there is room for a record is found out before a report is built for it.
    mkdirSync(pending, { recursive: true })
    if (!built && (await buildReport(run.directory, warn)) === undefined)
      throw problem(`${directory} was not written: the record needs the HTML report of the run`)
    for (const name of [
      ...Object.keys(pages).map((page) => join(dirname(runFiles.report), page)),
      runFiles.results,
      runFiles.junit,
      runFiles.summary,
      runFiles.probes,
    ]) {
      const source = join(run.directory, name)
      if (existsSync(source)) cpSync(source, join(pending, name), { recursive: true, dereference: true })
    }
    write('policy.json', policy)
    if (waivers !== undefined) write('waivers.json', waivers)
    write('decision.json', `${JSON.stringify(decision, null, 2)}\n`)
    write('decision.md', `${decisionMarkdown(decision)}${about}`)
    write('versions.json', `${JSON.stringify(versions(run, decision), null, 2)}\n`)
    for (const name of schemas) {
      const file = `${name}.schema.json`
      write(
        join('schemas', file),
        readFileSync(fileURLToPath(new URL(`../../schemas/${file}`, import.meta.url)), 'utf8'),
      )
    }
    write(checksums, checksumsOf(pending))
    // Somebody else may have made it meanwhile: a folder is never replaced.
    refuseExisting(directory)
    renameSync(pending, directory)
  } catch (error) {
    rmSync(pending, { recursive: true, force: true })
    if (error instanceof SetupError) throw error
    throw problem(
      `${directory} cannot be written (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`,
    )
  }
}

/** @throws {SetupError} where something is there already: a record is written once */
function refuseExisting(directory: string): void {
  if (existsSync(directory))
    throw problem(`${directory} is there already, and a record is never replaced: name a new folder`)
}

function problem(what: string): SetupError {
  return new SetupError([{ name: '--record', what, example: 'releases/2026-11-21' }])
}

const about = `
## This record

${code('report/index.html')} and the pages that it leads to open in a browser without a network; ${code('results.json')} holds the same for
programs, as ${code('schemas/')} describes. ${code(`sha256sum -c ${checksums}`)} in this folder tells whether a
file was changed since.
`

function versions({ results: { run } }: SavedRun, decision: Decision) {
  return {
    plumbline: { run: run.version, decision: decision.version },
    node: { run: run.software?.node ?? null, decision: process.versions.node },
    browser: run.software?.browser ?? null,
    formats: { results: 1, decision: decision.formatVersion },
  }
}

/** Lines as `sha256sum` writes them, sorted by path. */
function checksumsOf(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(directory, name)))
          .digest('hex')}  ${name}\n`,
    )
    .join('')
}
