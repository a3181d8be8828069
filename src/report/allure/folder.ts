import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestResult } from 'allure-js-commons'
import { stringifyEnvInfo } from 'allure-js-commons/sdk/reporter'
import type { Comparison } from '../../compare/comparison.ts'
import { comparisonMarkdown } from '../../compare/markdown.ts'
import { driftLine } from '../../compare/text.ts'
import { wallTime } from '../../results/queries.ts'
import type { RunResults } from '../../results/results.ts'
import { runFiles, writeAtomically } from '../../results/run-directory.ts'
import { duration } from '../../text/format.ts'
import { type AllureCheck, type AttachedFile, allureCheck, allureUnchecked } from './result.ts'

/** allure-results/ of a run. */
export class AllureFolder {
  /** What was written, by file name. */
  readonly files = new Map<string, Buffer>()
  readonly path: string
  /** The file that holds the content of a key. */
  readonly #originals = new Map<string, string>()

  constructor(path: string) {
    this.path = path
    mkdirSync(path, { recursive: true })
  }

  /** Writes a file; Allure's own writer would flush each to the disk. */
  write(name: string, content: string | Buffer): void {
    this.files.set(name, Buffer.from(content))
    writeFileSync(join(this.path, name), content)
  }

  /** Writes attachments. Most are shared by many checks: they are linked, since creating thousands of files is slow. */
  attach(attachments: readonly AttachedFile[]): void {
    for (const { source, key, content } of attachments) {
      const original = this.#originals.get(key)
      if (original === undefined) {
        this.#originals.set(key, source)
        this.write(source, content())
        continue
      }
      const shared = this.files.get(original) ?? Buffer.of()
      this.files.set(source, shared)
      try {
        linkSync(join(this.path, original), join(this.path, source))
      } catch (error) {
        // The file system has no links.
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') writeFileSync(join(this.path, source), shared)
      }
    }
  }

  /** Writes a check with its attachments; of one that the reporter has written, the times are kept. */
  add({ result, attachments }: AllureCheck): void {
    this.attach(attachments)
    const name = `${result.uuid}-result.json`
    const file = join(this.path, name)
    const written = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as TestResult) : undefined
    const { start, stop } = written ?? result
    const content = JSON.stringify({ ...result, start, stop })
    this.files.set(name, Buffer.from(content))
    // The end of the run may have changed the cause of a check.
    if (written?.descriptionHtml !== result.descriptionHtml) writeAtomically(file, content)
  }
}

/**
 * Writes every check of a run, and every requirement without one, with the environment and drift of the run.
 * @returns the contents of the folder by file name
 */
export function writeAllureResults(
  runDirectory: string,
  results: RunResults,
  drift?: Comparison,
): ReadonlyMap<string, Buffer> {
  const folder = new AllureFolder(join(runDirectory, runFiles.allureResults))
  for (const check of allureChecks(results, (path) => readFileSync(join(runDirectory, path))))
    folder.add(check)
  folder.write('environment.properties', stringifyEnvInfo(environment(results, drift)))
  writeDrift(folder, results, drift)
  return folder.files
}

function environment({ run, budget }: RunResults, drift?: Comparison): Record<string, string> {
  const time = wallTime(run)
  return {
    target: run.target,
    hosts: run.hosts.join(', '),
    started: run.startedAt,
    ...(time === undefined ? { finished: 'no, the run was cut off' } : { took: duration(time) }),
    requests: `${budget.requests} of ${budget.requestCap}, throttled ${budget.throttled}`,
    logins: `${budget.logins} of ${budget.loginCap}`,
    drift: drift === undefined ? 'no earlier run to compare with' : driftLine(drift),
    'broken means': 'inconclusive: not decided',
    'skipped means': 'not applicable',
    version: run.version,
    run: run.id,
  }
}

/** Drift as a page of the report beside the checks, so that it is not counted with them. */
function writeDrift(folder: AllureFolder, { run }: RunResults, drift?: Comparison): void {
  const source = 'drift-attachment.md'
  const globals = 'drift-globals.json'
  // The report may be built again when the run it was compared with is gone.
  for (const file of [source, globals]) rmSync(join(folder.path, file), { force: true })
  if (!drift) return
  const timestamp = Date.parse(run.finishedAt ?? run.startedAt)
  folder.write(source, comparisonMarkdown(drift))
  folder.write(
    globals,
    JSON.stringify({
      attachments: [{ name: 'Drift', type: 'text/markdown', source, timestamp }],
      errors: [],
    }),
  )
}

function allureChecks(results: RunResults, contentOf: (path: string) => Buffer): AllureCheck[] {
  const at = Date.parse(results.run.finishedAt ?? results.run.startedAt)
  const exchanges = new Map(results.exchanges.map((exchange) => [exchange.number, exchange]))
  return results.requirements.flatMap((requirement) => {
    const observations = results.observations.filter((one) => one.requirement === requirement.id)
    if (requirement.checks.length === 0) return [allureUnchecked(requirement, at)]
    return requirement.checks.map((check) => {
      const own = check.exchanges.flatMap((number) => exchanges.get(number) ?? [])
      // Runs of earlier versions do not say which check made an observation.
      const seen = observations.filter(({ check: by = check.name }) => by === check.name)
      return allureCheck(requirement, check, seen, own, at, contentOf)
    })
  })
}
