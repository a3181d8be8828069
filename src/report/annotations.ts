import { driftVerdict } from '../compare/drift.ts'
import { counted } from '../text/format.ts'
import { findingText } from './finding.ts'
import { headings, type Overview } from './overview.ts'

/** GitHub shows at most this many annotations of one kind per step, and drops the others silently. */
const maxOfAKind = 10

/**
 * A run as workflow commands of GitHub Actions, which become annotations of the job. The answer and drift are notices,
 * each failed check is an error, and each reason of inconclusive checks is a warning.
 */
export function githubAnnotations(overview: Overview): string {
  const { results, drift, answer } = overview
  const violations = overview.violations.flatMap(({ requirement, checks, since }) =>
    checks.map((check) =>
      command('error', `${headings.violated}: ${requirement.id}`, findingText(requirement, check, since)),
    ),
  )
  const inconclusive = overview.inconclusive.flatMap(({ title, remedy, command: repeat = '', reasons }) =>
    reasons.map(({ before, ids, after }) =>
      command(
        'warning',
        `${headings.inconclusive}: ${counted(ids.length, 'requirement')}`,
        `${title}: ${before}${ids.join(', ')}${after}\n${`${remedy} ${repeat}`.trim()}`,
      ),
    ),
  )
  const lines = [
    command(
      'notice',
      `Plumbline ${results.run.target}`,
      [answer.notice, answer.sentence, ...offText(answer), answer.state]
        .filter((text) => text !== undefined)
        .join(' '),
    ),
    ...upToTheLimit('error', violations),
    ...upToTheLimit('warning', inconclusive),
    ...(drift && driftVerdict(drift) === 'drift'
      ? [command('notice', headings.drift, overview.driftText)]
      : []),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function offText({ offByDefault: off }: Overview['answer']): string[] {
  return off ? [`${off.text} ${off.command}`] : []
}

function upToTheLimit(kind: 'error' | 'warning', commands: readonly string[]): readonly string[] {
  if (commands.length <= maxOfAKind) return commands
  const shown = commands.slice(0, maxOfAKind - 1)
  const omitted = commands.length - shown.length
  return [...shown, command(kind, 'Plumbline', `${omitted} more of this kind: see the summary of the job`)]
}

/** A workflow command. Escaping prevents text of the target from ending the command and beginning another one. */
function command(kind: 'error' | 'warning' | 'notice', title: string, message: string): string {
  const data = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const property = data(title).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::${kind} title=${property}::${data(message)}`
}
