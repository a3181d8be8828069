import type { ReleaseDecision } from '../release/decision.ts'
import type { PolicyAnswer } from '../release/gate.ts'
import { neededRun } from '../release/text.ts'
import { type ApplicableCounts, countApplicable } from '../results/applicable.ts'
import { allChecks } from '../results/queries.ts'
import type { RunResults } from '../results/results.ts'
import { capitalized, minuteOf, someOf } from '../text/format.ts'

/** Whether a run supports a release: the first information for a reader. */
export interface Answer {
  /** `none`: the run does not decide on a release, and no requirement is violated or inconclusive. */
  readonly tone: 'fail' | 'inconclusive' | 'pass' | 'none'
  /** It begins with yes or no if the run decides on a release. */
  readonly sentence: string
  /** The grounds of the sentence, or why the run does not decide on a release. */
  readonly ground: string
  /** The run that the release policy needs, if this is not such a run. */
  readonly needed?: { readonly text: string; readonly command: string }
}

/** @param policy the result of the project's release policy; undefined if there is none */
export function answerOf(results: RunResults, policy?: PolicyAnswer): Answer {
  const verdict = verdictOf(results)
  if (policy && 'decision' in policy) return decided(policy.decision, verdict)
  const why = policy?.undecided ?? whyNoDecision(results)
  if (why !== undefined) {
    return {
      tone: verdict.tone === 'pass' || verdict.isUnjudged ? 'none' : verdict.tone,
      sentence: `${verdict.sentence} No decision on a release.`,
      ground: `${capitalized(why)}.`,
      ...(policy?.needed && { needed: policy.needed }),
    }
  }
  const { tone, sentence } = verdict
  const word = { fail: 'No', inconclusive: 'Not yet', pass: 'Yes' }[tone]
  return {
    tone,
    sentence: `${word}: ${uncapitalized(sentence)}`,
    ground: 'There is no release policy; docs/gating.md describes one.',
  }
}

/** The answer of a release policy. */
function decided(decision: ReleaseDecision, verdict: VerdictSentence): Answer {
  const { release, because, exitCode, decidedAt, policy, findings } = decision
  const scope = [`level ${policy.levels.join(', ')}`, ...(policy.areas ?? []).map((area) => `area ${area}`)]
  const unfit = findings.filter(({ subject }) => subject === 'run').map(({ text }) => `${capitalized(text)}.`)
  const needed = neededRun(decision)
  const ground = [
    `This is the decision of the release policy for ${scope.join(', ')} at ${minuteOf(decidedAt)} UTC.`,
    ...unfit,
    unfit.length > 0
      ? `In this run: ${uncapitalized(verdict.sentence)}`
      : `All levels and areas: ${uncapitalized(verdict.sentence)}`,
  ]
  return {
    tone: release ? 'pass' : exitCode === 1 ? 'fail' : 'inconclusive',
    sentence: `${release ? 'Yes' : 'No'}: ${because}.`,
    ground: ground.join(' '),
    ...(needed && { needed }),
  }
}

interface VerdictSentence {
  readonly tone: 'fail' | 'inconclusive' | 'pass'
  readonly sentence: string
  /** Whether the run is complete and only observed. */
  readonly isUnjudged?: boolean
}

/** The state of the requirements, without a decision. Observed requirements are counted separately. */
function verdictOf(results: RunResults): VerdictSentence {
  const counts = countApplicable(results.requirements)
  const { applicable, fail, inconclusive, observed, unobserved } = counts
  const { completed } = results.run
  const some = (count: number) =>
    `${applicable === 1 ? 'the only applicable requirement' : `${count} of ${applicable} applicable requirements`} ${isOrAre(count)}`
  const isDefective = allChecks(results).some(
    ({ check: { verdict, cause } }) => verdict === 'inconclusive' && cause === 'harness',
  )
  const defect = isDefective ? ' A defect of Plumbline makes this run unreliable.' : ''
  const beside = besideText(counts)
  if (fail > 0) {
    const rest = inconclusive > 0 ? `, and ${inconclusive} ${isOrAre(inconclusive)} inconclusive` : ''
    return { tone: 'fail', sentence: `${capitalized(some(fail))} violated${rest}${beside}.${defect}` }
  }
  if (inconclusive > 0) {
    const sentence = `No requirement is violated, but ${some(inconclusive)} inconclusive${beside}.${defect}`
    return { tone: 'inconclusive', sentence }
  }
  if (applicable === 0) {
    const seen = [
      ...(observed > 0 ? [`${observed} ${isOrAre(observed)} observed`] : []),
      ...(unobserved > 0 ? [`${unobserved} could not be observed`] : []),
    ]
    const why =
      seen.length === 0
        ? 'No requirement applied, so nothing was checked.'
        : `No requirement was judged; ${seen.join(', ')}.${defect}`
    return {
      tone: 'inconclusive',
      sentence: why,
      isUnjudged: observed > 0 && unobserved === 0 && completed,
    }
  }
  const holds =
    applicable === 1
      ? 'The only applicable requirement holds'
      : `All ${applicable} applicable requirements hold`
  return {
    tone: completed && !isDefective && unobserved === 0 ? 'pass' : 'inconclusive',
    sentence: `${holds}${beside}.${defect}`,
  }
}

/** `, 365 of them because the run ended before their checks; 40 more are observed`; empty if there are none. */
function besideText({ inconclusive, unbegun, observed, unobserved }: ApplicableCounts): string {
  const share = unbegun === inconclusive ? '' : `, ${unbegun} of them`
  const ended =
    unbegun === 0 ? '' : `${share} because the run ended before ${unbegun === 1 ? 'its' : 'their'} checks`
  const parts = [
    ...(observed > 0 ? [`${observed} more ${isOrAre(observed)} observed`] : []),
    ...(unobserved > 0 ? [`${unobserved} more could not be observed`] : []),
  ]
  return `${ended}${parts.length === 0 ? '' : `; ${parts.join(', and ')}`}`
}

/** Why a run does not decide on a release, independent of its verdicts; undefined if it does. */
function whyNoDecision({ run }: RunResults): string | undefined {
  const { only, areas } = run.selection
  if (run.kind === 'probe') return 'probes measure limits'
  if (run.target === 'embedded') return 'the run checked the embedded provider'
  if (!run.completed) return 'the run ended early'
  if (only.length + areas.length > 0)
    return `only ${someOf([...only, ...areas.map((area) => `area ${area}`)])} was selected`
  return undefined
}

function uncapitalized(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are'
}
