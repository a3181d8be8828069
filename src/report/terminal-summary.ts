import type { Comparison } from '../compare/comparison.ts'
import { driftLine, sinceText } from '../compare/words.ts'
import {
  allChecks,
  budgetUsed,
  checksWith,
  notApplicableByReason,
  notDecidedByReason,
  verdictStyles,
  verdicts,
  verdictWords,
  wallTime,
  withoutCheck,
} from '../results/queries.ts'
import type { RequirementResult, RunResults } from '../results/results.ts'
import { counted, duration, type Style, someOf, wrap } from '../text/format.ts'
import { terminalOf } from '../text/terminal.ts'
import { findingLines } from './finding.ts'

/** Where the ids are that are not shown. */
const inSummary = ' (summary.md names them)'

export interface SummaryOptions {
  /** Where it is printed: decides on colours, as do NO_COLOR and FORCE_COLOR. */
  readonly stream: NodeJS.WriteStream
  /** Path of the HTML report; undefined where it was not built. */
  readonly report?: string
  /** Path of results.json. */
  readonly results: string
  /** How the run differs from the last comparable one; undefined where there is none. */
  readonly drift?: Comparison
}

/**
 * What is printed when a run has ended. What is read first comes last, next to the prompt: the verdicts and where the
 * report is, above them what needs somebody, and at the top what was left out.
 */
export function terminalSummary(run: RunResults, { stream, report, results, drift }: SummaryOptions): string {
  const page = new SummaryPage(stream)
  return [
    ...page.notApplicable(run),
    ...page.notes(run),
    ...page.undecided(run),
    ...page.violated(run, drift?.violatedSince ?? {}),
    ...page.verdicts(run),
    ...(drift ? page.text(`Drift: ${driftLine(drift)}`, 7) : []),
    report === undefined ? `Results: ${results}` : `Report: ${report}`,
    '',
  ].join('\n')
}

/** Parts of the summary as lines; each begins with an empty one, and is nothing where there is nothing to say. */
class SummaryPage {
  readonly #width: number
  readonly #paint: (style: Style, text: string) => string

  constructor(stream: NodeJS.WriteStream) {
    const { width, paint } = terminalOf(stream)
    this.#width = width
    this.#paint = paint
  }

  text(text: string, hang: number): string[] {
    return wrap(text, this.#width, hang)
  }

  notApplicable(run: RunResults): string[] {
    const unchecked = withoutCheck(run)
    return this.#part('Not applicable', [
      ...[...notApplicableByReason(run)].flatMap(([reason, ids]) =>
        this.#counted(ids.length, `${reason}: ${someOf(ids, inSummary)}`),
      ),
      ...(unchecked.length > 0
        ? this.#counted(unchecked.length, 'without a check; `plumbline list --unchecked` says why')
        : []),
    ])
  }

  notes(run: RunResults): string[] {
    const lines = allChecks(run).flatMap(({ requirement, check }) =>
      check.notes.flatMap((note) => this.text(`  ${requirement.id}: ${note.text}`, 6)),
    )
    return this.#part('Notes', lines)
  }

  undecided(run: RunResults): string[] {
    const isMisconfigured = checksWith(run, 'inconclusive').some(
      ({ check }) => check.cause === 'configuration',
    )
    return this.#part('Not decided', [
      ...[...notDecidedByReason(run)].flatMap(([reason, ids]) =>
        this.#counted(ids.length, `${reason}: ${someOf(ids, inSummary, 8)}`, verdictStyles.inconclusive),
      ),
      ...(isMisconfigured ? ['', `  plumbline doctor --target ${run.run.target} says what to change`] : []),
    ])
  }

  violated(run: RunResults, since: NonNullable<Comparison['violatedSince']>): string[] {
    const row = (label: string, text: string) => this.#labelled(`    ${label.padEnd(12)}`, text, 16)
    const known = ({ id }: RequirementResult) => {
      const one = since[id]
      return one ? `, ${sinceText(one)}` : ''
    }
    const lines = checksWith(run, 'fail').flatMap(({ requirement, check }) => [
      '',
      `  ${this.#paint(verdictStyles.fail, requirement.id)}  ${this.#paint('dim', requirement.section + known(requirement))}`,
      ...row('requirement', requirement.statement),
      ...row('check', check.name),
      ...findingLines(check).flatMap(([label, text]) => row(label, text)),
      // A command stays on one line, to be copied.
      `    ${this.#paint('dim', 'repeat'.padEnd(12))}${check.reproduce}`,
    ])
    return this.#part('Violated', lines)
  }

  verdicts(run: RunResults): string[] {
    const { pass, fail, inconclusive, observed } = run.totals
    const time = wallTime(run.run)
    const used = [
      budgetUsed(run),
      ...(time === undefined ? [] : [duration(time)]),
      ...(run.run.completed ? [] : ['cut off before its end']),
    ]
    return [
      ...this.#part(`Plumbline ${run.run.version}, ${run.run.target}: ${run.run.hosts.join(', ')}`, [
        totals(run),
      ]),
      '',
      ...verdicts
        .filter((verdict) => run.totals[verdict] > 0)
        .flatMap((verdict) => {
          const label = `${String(run.totals[verdict]).padStart(5)}  ${verdict.padEnd(14)}`
          return this.#labelled(label, `  ${verdictWords[verdict]}`, 7, verdictStyles[verdict])
        }),
      ...(pass + fail + inconclusive + observed === 0
        ? ['', this.#paint('yellow', '  No requirement applied: nothing was judged.')]
        : []),
      '',
      ...this.text(`  ${used.join(', ')}`, 2),
      '',
    ]
  }

  #part(heading: string, lines: readonly string[]): string[] {
    return lines.length === 0
      ? []
      : ['', ...this.text(heading, 2).map((line) => this.#paint('bold', line)), ...lines]
  }

  #counted(count: number, text: string, style: Style = 'dim'): string[] {
    return this.#labelled(`${String(count).padStart(5)}  `, text, 7, style)
  }

  /** A label and a text; further lines begin `hang` characters in. */
  #labelled(label: string, text: string, hang: number, style: Style = 'dim'): string[] {
    const [first = '', ...rest] = this.text(label + text, hang)
    return [this.#paint(style, first.slice(0, label.length)) + first.slice(label.length), ...rest]
  }
}

/** Why there are fewer requirements with checks than requirements is told further down. */
function totals(run: RunResults): string {
  const all = run.requirements.length
  const checked = all - withoutCheck(run).length
  const checks = counted(allChecks(run).length, 'check')
  const requirements = counted(all, 'requirement')
  return checked === all ? `${requirements}, ${checks}` : `${requirements}, ${checked} of them with ${checks}`
}
