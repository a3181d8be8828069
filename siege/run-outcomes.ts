import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunResults } from '../src/results/results.ts'
import type { Outcome } from './target-outcomes.ts'

/** The outcome of each requirement in the last run of a folder; empty without a run. */
export function outcomesIn(folder: string): ReadonlyMap<string, Outcome> {
  const file = join(folder, 'reports/latest/results.json')
  if (!existsSync(file)) return new Map()
  const results = JSON.parse(readFileSync(file, 'utf8')) as RunResults
  return new Map(
    results.requirements.map(({ id, verdict, checks }) => {
      const cause = checks.find((check) => check.verdict === verdict)?.cause
      return [id, verdict === 'inconclusive' ? (cause ?? 'harness') : verdict]
    }),
  )
}

/** How often each outcome occurred: `12 pass, 3 environment`. */
export function countsOf(outcomes: ReadonlyMap<string, Outcome>): string {
  const groups = Map.groupBy(outcomes.values(), (outcome) => outcome)
  return [...groups].map(([outcome, all]) => `${all.length} ${outcome}`).join(', ') || 'no results'
}
