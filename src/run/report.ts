import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createDefaultWriter } from 'allure-js-commons/sdk/reporter'
import { type AllureCheck, allureCheck, allureUnchecked, writeAttachments } from './allure-result.ts'
import type { Comparison } from './compare/comparison.ts'
import { driftOf } from './compare/drift.ts'
import { comparisonMarkdown } from './compare/markdown.ts'
import { driftLine } from './compare/words.ts'
import { writeJunit } from './junit.ts'
import type { RunResults } from './results.ts'
import { runFiles, writeAtomically } from './run-directory.ts'
import { writeSummary } from './summary-markdown.ts'
import { duration, verdicts, wallTime } from './text.ts'

const run = promisify(execFile)
const configuration = fileURLToPath(new URL('../../reports/allurerc.json', import.meta.url))
const commandLine = join(dirname(createRequire(import.meta.url).resolve('allure')), '..', 'cli.js')
/** Longest time a report may take, in milliseconds. */
const timeLimit = 120_000

/** The results of a run, finished or not. @throws {Error} when the directory holds none */
export function readResults(runDirectory: string): RunResults {
  return JSON.parse(readFileSync(join(runDirectory, runFiles.results), 'utf8')) as RunResults
}

/**
 * Makes junit.xml, summary.md and report/index.html of a run from its results.json, also of a run
 * that was killed.
 * @param warn takes one sentence when the HTML report could not be built, which harms nothing else
 * @returns the path of the HTML report; undefined where it could not be built
 * @throws {Error} when the directory holds no results.json
 */
export async function buildReport(
  runDirectory: string,
  warn: (sentence: string) => void = console.error,
): Promise<string | undefined> {
  const results = readResults(runDirectory)
  const drift = driftOf(runDirectory, results)
  const folder = join(runDirectory, dirname(runFiles.report))
  let report: string | undefined
  try {
    writeAllureResults(runDirectory, results, drift)
    rmSync(folder, { recursive: true, force: true })
    report = await buildHtml(runDirectory, results)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    const reason = firstLine((error as { stderr?: string }).stderr || (error as Error).message)
    warn(`The HTML report could not be built (${reason}); the other results are complete.`)
  }
  writeJunit(runDirectory, results)
  writeSummary(runDirectory, results, drift)
  return report
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? ''
}

async function buildHtml(runDirectory: string, { run: facts, totals }: RunResults): Promise<string> {
  const report = join(runDirectory, runFiles.report)
  // Allure counts checks and calls what holds a success rate: the title says what a release asks for.
  const counts = verdicts
    .filter((verdict) => totals[verdict] > 0)
    .map((verdict) => `${totals[verdict]} ${verdict}`)
  const name = `Plumbline ${facts.target} ${facts.startedAt.slice(0, 16).replace('T', ' ')}: ${counts.join(', ')}`
  await run(
    process.execPath,
    [
      commandLine,
      'generate',
      ...['--config', configuration],
      ...['--report-name', name],
      ...['--output', dirname(report)],
      join(runDirectory, runFiles.allureResults),
    ],
    { timeout: timeLimit },
  )
  writeAtomically(report, withoutOutsideRequests(readFileSync(report, 'utf8')))
  return report
}

/** Every check of the run that the reporter has not written yet, and every requirement without one. */
function writeAllureResults(runDirectory: string, results: RunResults, drift?: Comparison): void {
  const folder = join(runDirectory, runFiles.allureResults)
  mkdirSync(folder, { recursive: true })
  const writer = createDefaultWriter({ resultsDir: folder })
  for (const check of allureChecks(results, (path) => readFileSync(join(runDirectory, path)))) {
    if (existsSync(join(folder, `${check.result.uuid}-result.json`))) continue
    writer.writeResult(check.result)
    writeAttachments(writer, check)
  }
  const { run: facts, budget } = results
  writeDrift(folder, drift, Date.parse(facts.finishedAt ?? facts.startedAt))
  const time = wallTime(facts)
  writer.writeEnvironmentInfo({
    target: facts.target,
    hosts: facts.hosts.join(', '),
    started: facts.startedAt,
    ...(time === undefined ? { finished: 'no, the run was cut off' } : { took: duration(time) }),
    requests: `${budget.requests} of ${budget.requestCap}, throttled ${budget.throttled}`,
    logins: `${budget.logins} of ${budget.loginCap}`,
    drift: drift === undefined ? 'no earlier run to compare with' : driftLine(drift),
    'broken means': 'inconclusive: not decided',
    'skipped means': 'not applicable',
    version: facts.version,
    run: facts.id,
  })
}

/** Drift as a page of the report beside the checks, with which it must not be counted. */
function writeDrift(folder: string, drift: Comparison | undefined, at: number): void {
  const source = 'drift-attachment.md'
  const globals = 'drift-globals.json'
  // The report may be built again when the run it was compared with is gone.
  for (const file of [source, globals]) rmSync(join(folder, file), { force: true })
  if (!drift) return
  const writer = createDefaultWriter({ resultsDir: folder })
  writer.writeAttachment(source, Buffer.from(comparisonMarkdown(drift)))
  const attachment = { name: 'Drift', type: 'text/markdown', source, timestamp: at }
  writer.writeGlobals(globals, { attachments: [attachment], errors: [] })
}

function allureChecks(results: RunResults, contentOf: (path: string) => Buffer): AllureCheck[] {
  const at = Date.parse(results.run.finishedAt ?? results.run.startedAt)
  const exchanges = new Map(results.exchanges.map((exchange) => [exchange.number, exchange]))
  return results.requirements.flatMap((requirement) => {
    const observations = results.observations.filter(
      (observation) => observation.requirement === requirement.id,
    )
    if (requirement.checks.length === 0) return [allureUnchecked(requirement, at)]
    return requirement.checks.map((check) => {
      const own = check.exchanges.flatMap((number) => exchanges.get(number) ?? [])
      // Runs of earlier versions do not say which check made an observation.
      const seen = observations.filter(({ check: by = check.name }) => by === check.name)
      return allureCheck(requirement, check, seen, own, at, contentOf)
    })
  })
}

/** Nothing but what is within the file itself may be loaded by the report. */
const policy =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' data:; style-src 'unsafe-inline' data:; " +
  'img-src data: blob:; font-src data:; media-src data: blob:; frame-src data: blob:; connect-src data: blob:; worker-src blob:'

/**
 * The report without the analytics that Allure writes into each, and with a policy that keeps the
 * browser from asking anybody anything.
 * @throws {Error} when an outside script is left
 */
function withoutOutsideRequests(html: string): string {
  const analytics =
    /<script async src="https:\/\/www\.googletagmanager\.com\/[^"]*"><\/script>\s*<script>[^<]*<\/script>/
  const own = html
    .replace(analytics, '')
    .replace('<head>', `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`)
  if (/<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="https?:/.test(own)) {
    throw new Error('Allure loads something from outside in a way that is not known here')
  }
  return own
}
