import { createHash } from 'node:crypto'
import type { RunResults } from '../../results/results.ts'
import { minuteOf } from '../../text/format.ts'
import { allureStatuses, pageId } from './result.ts'

/** What Allure appends to the id of a check that has no parameters of its own: the digest of nothing. */
const withoutParameters = createHash('md5').update('').digest('hex')

/**
 * Earlier runs as Allure's own file of history, one line each: each check shows how it fared before. Only what
 * the report draws is in it, since all of it is repeated within the report.
 * @param runs the oldest first
 */
export function allureHistory(runs: readonly RunResults[]): string {
  return runs.map((run) => `${JSON.stringify(pointOf(run))}\n`).join('')
}

function pointOf({ run, requirements }: RunResults) {
  const at = Date.parse(run.finishedAt ?? run.startedAt)
  const results = requirements.flatMap(({ id, verdict, checks }) =>
    checks.length === 0
      ? [resultOf(pageId(id), verdict, at, 0)]
      : checks.map((check) => resultOf(pageId(id, check.name), check.verdict, at, check.durationMs)),
  )
  return {
    uuid: run.id,
    name: `${run.target} ${minuteOf(run.startedAt)}`,
    timestamp: at,
    knownTestCaseIds: results.map(({ id }) => id),
    testResults: Object.fromEntries(results.map((result) => [`${result.id}.${withoutParameters}`, result])),
    metrics: {},
    url: '',
  }
}

function resultOf(id: string, verdict: keyof typeof allureStatuses, stop: number, duration: number) {
  return { id, status: allureStatuses[verdict], start: stop - duration, stop, duration, url: '' }
}
