import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { stringifyEnvInfo } from 'allure-js-commons/sdk/reporter'
import type { Comparison } from '../../compare/compare.ts'
import { driftLine, notComparedText } from '../../compare/sentences.ts'
import { comparisonMarkdown } from '../../compare/text.ts'
import { wallTime } from '../../results/queries.ts'
import type { RunResults } from '../../results/results.ts'
import { runFiles } from '../../results/run-directory.ts'
import { readWithin } from '../../results/stored-file.ts'
import { budgetUsed } from '../../results/text.ts'
import { duration } from '../../text/format.ts'
import { AllureFolder } from './folder.ts'
import { type AllureCheck, allureCheck, allureUnchecked } from './result.ts'

/**
 * Writes every check of a run, every requirement without a check, and the environment and drift of the run.
 * @returns the contents of the folder by file name
 */
export function writeAllureResults(
  runDirectory: string,
  results: RunResults,
  drift?: Comparison,
): ReadonlyMap<string, Buffer> {
  const folder = new AllureFolder(join(runDirectory, runFiles.allureResults))
  for (const check of allureChecks(results, (path) => readWithin(runDirectory, path))) folder.add(check)
  folder.write('environment.properties', stringifyEnvInfo(environment(results, drift)))
  writeDrift(folder, results, drift)
  return folder.files
}

function environment(results: RunResults, drift?: Comparison): Record<string, string> {
  const { run } = results
  const time = wallTime(run)
  return {
    target: run.target,
    hosts: run.hosts.join(', '),
    started: run.startedAt,
    ...(time === undefined ? { finished: 'no, the run ended early' } : { took: duration(time) }),
    budget: budgetUsed(results),
    drift: drift ? driftLine(drift) : notComparedText(results.run),
    'broken means': 'inconclusive: Plumbline could not judge',
    'skipped means': 'not applicable: not checked in this run',
    version: run.version,
    run: run.id,
  }
}

/** Writes drift as an attachment of the report, so that Allure does not count drift as a check. */
function writeDrift(folder: AllureFolder, { run }: RunResults, drift?: Comparison): void {
  const source = 'drift-attachment.md'
  const globals = 'drift-globals.json'
  // The earlier run may have been deleted: a rebuilt report then shows no drift.
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
  const endedAt = Date.parse(results.run.finishedAt ?? results.run.startedAt)
  const exchanges = new Map(results.exchanges.map((exchange) => [exchange.number, exchange]))
  return results.requirements.flatMap((requirement) => {
    const observations = results.observations.filter((one) => one.requirement === requirement.id)
    if (requirement.checks.length === 0) return [allureUnchecked(requirement, endedAt)]
    return requirement.checks.map((check) => {
      const own = check.exchanges.flatMap((number) => exchanges.get(number) ?? [])
      // Runs of earlier versions do not state the check of an observation.
      const ownObservations = observations.filter(({ check: by = check.name }) => by === check.name)
      return allureCheck(requirement, check, ownObservations, own, endedAt, contentOf)
    })
  })
}
