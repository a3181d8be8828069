import type { Comparison } from '../compare/comparison.ts'
import { driftVerdict } from '../compare/drift.ts'
import { driftLine } from '../compare/text.ts'
import { checksWith, inconclusiveByReason } from '../results/queries.ts'
import type { RunResults } from '../results/results.ts'
import { counted } from '../text/format.ts'
import { findingText } from './finding.ts'

/** How many annotations of one kind GitHub shows of one step; it drops the others silently. */
const shownOfAKind = 10

/**
 * What needs attention in a run, as workflow commands of GitHub Actions, which become annotations of the job: each
 * violation is an error, each reason of inconclusive checks a warning, drift a notice.
 * @param drift how it differs from the last comparable run; undefined where there is none
 */
export function githubAnnotations(run: RunResults, drift?: Comparison): string {
  const violations = checksWith(run, 'fail').map(({ requirement, check }) =>
    command('error', `${requirement.id}: ${requirement.section}`, findingText({ requirement, check })),
  )
  const undecided = [...inconclusiveByReason(run)].map(([reason, ids]) =>
    command('warning', `Inconclusive: ${counted(ids.length, 'requirement')}`, `${reason}: ${ids.join(', ')}`),
  )
  const lines = [
    ...upToTheLimit('error', violations),
    ...upToTheLimit('warning', undecided),
    ...(drift && driftVerdict(drift) === 'drift' ? [command('notice', 'Drift', driftLine(drift))] : []),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function upToTheLimit(kind: 'error' | 'warning', commands: readonly string[]): readonly string[] {
  if (commands.length <= shownOfAKind) return commands
  const shown = commands.slice(0, shownOfAKind - 1)
  const rest = commands.length - shown.length
  return [...shown, command(kind, 'Plumbline', `${rest} more of this kind: see the summary of the job`)]
}

/** A workflow command; text of the target cannot end it and begin another one. */
function command(kind: 'error' | 'warning' | 'notice', title: string, message: string): string {
  const data = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const property = data(title).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::${kind} title=${property}::${data(message)}`
}
