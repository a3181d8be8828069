import type { TargetCase } from './target-cases.ts'
import { type Endpoint, endpoints, exitCodeFor } from './target-outcomes.ts'

/**
 * The expected outcomes as a Markdown table: a row for each misbehaviour, a column for each endpoint.
 * @param held whether each attempt had its expected outcome, by name. The cells of other attempts are empty.
 */
export function targetTable(cases: readonly TargetCase[], held: ReadonlyMap<string, boolean>): string {
  const columns = Object.keys(endpoints) as Endpoint[]
  const rows = Map.groupBy(cases, ({ what }) => what)
  const cell = (tried: TargetCase | undefined) => {
    const hasHeld = tried && held.get(tried.name)
    if (tried === undefined || hasHeld === undefined) return ''
    return hasHeld ? textOf(tried) : '**broken**'
  }
  return [
    `| the endpoint | ${columns.join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
    ...[...rows].map(
      ([what, row]) =>
        `| ${what} | ${columns.map((column) => cell(row.find(({ endpoint }) => endpoint === column))).join(' | ')} |`,
    ),
  ].join('\n')
}

/** Exit codes and outcomes: `2: environment`. */
function textOf({ expected }: TargetCase): string {
  const codes = [...new Set(expected.map((outcome) => exitCodeFor([outcome])))].sort()
  const outcomes = expected.filter((outcome) => !['observed', 'not-applicable'].includes(outcome))
  return `${codes.join(' or ')}: ${outcomes.join(' or ')}`
}
