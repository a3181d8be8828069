import { depthFirst } from '../results/dependencies.ts'
import { inconclusiveText } from '../results/inconclusive.ts'
import { type NextStep, runCommand } from '../results/run-command.ts'
import { areasText } from '../results/scope.ts'
import { verdictStyles } from '../results/text.ts'
import { minuteOf, type Style, wrap } from '../text/format.ts'
import { code, plain, prose, section, withCommand } from '../text/markdown.ts'
import { linesWithCommand, terminalOf } from '../text/terminal.ts'
import type { FindingWeight, Follower, ReleaseDecision } from './decision.ts'
import { type FindingLine, findingGroups, notCheckedHeading, notCheckedLines } from './finding-lines.ts'
import { age, grounds } from './grounds.ts'
import type { Policy } from './policy.ts'

// A release decision for terminal and Markdown.

/**
 * `Release: no, because 1 requirement is violated: EVENT-WINDOW-LIMIT.`, `Release: not decided, because the run is
 * incomplete.`
 */
export function answerText(answer: ReleaseDecision['answer'], because: string): string {
  return `${answerLead(answer)}, because ${because}.`
}

/** The answer without its reason: `Release: no`. */
export function answerLead(answer: ReleaseDecision['answer']): string {
  return `Release: ${answer === 'no decision' ? 'not decided' : answer}`
}

/** The run that a policy needs, and the command that starts such a run; undefined if the judged run is suitable. */
export function neededRun({
  run,
  findings,
  policy,
}: Pick<ReleaseDecision, 'run' | 'findings' | 'policy'>): Required<NextStep> | undefined {
  // Findings with the subject `run` state why the run is unsuitable.
  if (!findings.some(({ subject }) => subject === 'run')) return undefined
  const { target, kind, maximumAgeHours, areas } = policy
  const ofAreas = areas === undefined ? '' : ` of ${areasText(areas)}`
  // The judged run needed only the variables of the areas that it selected.
  const variables =
    areas === undefined && run.selection.areas.length > 0
      ? '. For the areas that this run left out, more variables may have to be set'
      : ''
  return {
    text: `The policy needs a ${kind} run of ${target} that selects all requirements${ofAreas}, did not end early and is at most ${age(maximumAgeHours * 3_600_000)} old${variables}:`,
    command: neededCommand(policy, run),
  }
}

/**
 * The command for a run that a policy accepts.
 * @param run the judged run; if the policy has the same target, the command allows the same effects
 */
export function neededCommand({ target, kind, areas }: Policy, run: ReleaseDecision['run']): string {
  // Probes have neither areas to select nor effects to allow.
  if (kind === 'probe') return `npx plumbline probe --target ${target}`
  const options = areas === undefined ? '' : ` --area ${areas.join()}`
  return runCommand('check', run.target === target ? run : { target }, options)
}

/** The requirements that waivers settle, each with a text. Those with their own waiver come first. */
function waivedLines({
  waived,
  following,
}: ReleaseDecision): (readonly [requirement: string, text: string])[] {
  const followers = new Map(following.map((one) => [one.requirement, one]))
  // A follower is inconclusive because of a waived requirement or another follower. The search ends at waived ones.
  const waivedRoots = ({ follows }: Follower) =>
    depthFirst(follows, (id) => followers.get(id)?.follows ?? []).filter((id) => !followers.has(id))
  return [
    ...waived.map(({ requirement, verdict, expires, owner, reason, issue }) => {
      const text = `${verdict}, waived until ${expires} by ${owner}: ${reason} (${issue})`
      return [requirement, text] as const
    }),
    ...following.map((one) => [one.requirement, inconclusiveText(waivedRoots(one), one.reason)] as const),
  ]
}

const styles: Readonly<Record<FindingWeight, Style>> = {
  violated: verdictStyles.fail,
  undecided: verdictStyles.inconclusive,
  noted: 'dim',
}

const colours = { yes: 'green', no: 'red', 'no decision': 'yellow' } as const

/** Texts on the whole run, which are not part of the decision. */
interface RunTexts {
  /** States that the run decided little, and why. Shown before the answer. */
  readonly notice?: string | undefined
  /** Requirements with effects that are off by default. Shown after the answer. */
  readonly offByDefault?: NextStep | undefined
  readonly next?: readonly NextStep[]
}

/**
 * A decision for a terminal: the answer, its reasons, the run that the policy needs, the next steps.
 * @param file the policy file, as the text names it
 */
export function decisionText(
  decision: ReleaseDecision,
  stream: NodeJS.WriteStream,
  file: string,
  { notice, offByDefault: off, next = [] }: RunTexts = {},
): string {
  const { width, paint, named, part } = terminalOf(stream)
  const shown = (lines: readonly FindingLine[], style: Style) =>
    lines.flatMap(({ name, text }) =>
      name === undefined ? wrap(`  ${text}`, width, 6) : named(name, text, style),
    )
  const needed = neededRun(decision)
  const [first = '', ...more] = wrap(answerText(decision.answer, decision.because), width, 2)
  return [
    ...(notice === undefined ? [] : wrap(notice, width, 2).map((line) => paint(['bold', 'yellow'], line))),
    paint(['bold', colours[decision.answer]], first),
    ...more,
    ...(off ? linesWithCommand(off.text, off.command, width) : []),
    '',
    ...grounds(decision, file).flatMap(([label, text]) => named(label.padEnd(11), text, 'dim')),
    ...findingGroups(decision).flatMap(({ heading, weight, lines }) =>
      part(heading, shown(lines, styles[weight])),
    ),
    ...part(
      'Waived',
      waivedLines(decision).flatMap(([id, text]) => named(id, text, verdictStyles.inconclusive)),
    ),
    ...part(notCheckedHeading(decision), shown(notCheckedLines(decision), 'dim')),
    ...(needed ? ['', ...linesWithCommand(needed.text, needed.command, width)] : []),
    ...part(
      nextHeading,
      next.flatMap(({ text, command }) => linesWithCommand(text, command, width, '  ')),
    ),
    '',
    '',
  ].join('\n')
}

const nextHeading = 'Next steps'

/**
 * A decision as a Markdown page: the answer first, then the reasons.
 * @param file the policy file, as the text names it
 */
export function decisionMarkdown(
  decision: ReleaseDecision,
  file: string,
  { notice, offByDefault: off, next = [] }: RunTexts = {},
): string {
  const needed = neededRun(decision)
  return [
    `# ${plain(answerText(decision.answer, decision.because))}`,
    '',
    ...(notice === undefined ? [] : [`**${plain(notice)}**`, '']),
    ...(off ? [withCommand(off.text, off.command), ''] : []),
    ...grounds(decision, file).map(([label, text]) => `- ${label}: ${plain(text)}`),
    `- decided ${minuteOf(decision.decidedAt)} by Plumbline ${decision.version}, exit code ${code(String(decision.exitCode))}`,
    ...(needed ? ['', withCommand(needed.text, needed.command)] : []),
    ...findingGroups(decision).flatMap(({ heading, lines }) => section(heading, lines.map(lineItem))),
    ...section(
      'Waived',
      waivedLines(decision).map(([id, text]) => `- **${id}**: ${plain(text)}`),
    ),
    ...section(notCheckedHeading(decision), notCheckedLines(decision).map(lineItem)),
    ...section(
      nextHeading,
      next.map(({ text, command }) => `- ${withCommand(text, command)}`),
    ),
    '',
  ].join('\n')
}

function lineItem({ name, text }: FindingLine): string {
  return name === undefined ? `- ${prose(text)}` : `- **${name}**: ${prose(text)}`
}
