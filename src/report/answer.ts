import { exitCodes } from '../exit-codes.ts'
import type { PolicyAnswer, PolicyDecision } from '../release/gate.ts'
import { age } from '../release/grounds.ts'
import { type Policy, policyName } from '../release/policy.ts'
import { answerLead, answerText, neededCommand, neededRun } from '../release/text.ts'
import { type ApplicableCounts, countApplicable } from '../results/applicable.ts'
import { decidedLittle } from '../results/decided-little.ts'
import { inconclusiveByCause } from '../results/inconclusive.ts'
import { effectsOff } from '../results/off-by-default.ts'
import { allChecks, probesOf } from '../results/queries.ts'
import type { RunResults } from '../results/results.ts'
import type { NextStep } from '../results/run-command.ts'
import { selectionParts } from '../results/text.ts'
import { capitalized, counted, minuteOf, someOf } from '../text/format.ts'
import { measuredText } from './measured.ts'
import { remedyCommand, selectionOptions } from './remedy.ts'

/** The first information of a report: whether the run supports a release. */
export interface Answer {
  /** `none`: the run does not decide on a release, is complete, and all checked requirements hold or are observed. */
  readonly tone: 'fail' | 'inconclusive' | 'pass' | 'none'
  readonly question: string
  /** States that the run decided little, and why. Shown before the answer. */
  readonly notice?: string
  /** The answer to the question. If the question is about a release, the answer begins with `Release: `. */
  readonly sentence: string
  /** The beginning of the sentence, without its reasons; absent if the question is not about a release. */
  readonly lead?: string
  /** The state of the requirements, if the sentence does not state it. */
  readonly state?: string
  /** Only for a yes: requirements that were not checked, because their effects are off by default. */
  readonly offByDefault?: Required<NextStep>
  /** What the answer is based on: the policy and further counts; empty if the sentence contains everything. */
  readonly basis: string
  /**
   * If the run is unsuitable for the policy: the command for a suitable run. If only the configuration prevents a
   * decision: the command that finds the mistake, or the one to run after its correction.
   */
  readonly needed?: Required<NextStep>
}

const releaseQuestion = 'May we release?'

/** @param policy the result of the project's release policy; undefined if there is none */
export function answerOf(results: RunResults, policy?: PolicyAnswer): Answer {
  const answer = decisionOf(results, policy)
  const decision = policy && 'decision' in policy ? policy.decision : undefined
  const off =
    answer.tone === 'pass'
      ? effectsOff(results, decision?.policy ?? { levels: ['must'] }, selectionOptions(results))
      : undefined
  // A policy's sentence for `no decision` already states the cause.
  const notice = decision?.answer === 'no decision' ? undefined : decidedLittle(results)
  return { ...answer, ...(off && { offByDefault: off }), ...(notice !== undefined && { notice }) }
}

function decisionOf(results: RunResults, policy?: PolicyAnswer): Answer {
  const verdict = verdictOf(results)
  if (policy && 'decision' in policy) return answerOfPolicy(policy, results, verdict)
  if (results.run.kind === 'probe' && policy?.kind !== 'probe') return measured(results, verdict)
  const why = policy?.noDecision ?? whyNoDecision(results)
  if (why !== undefined) return withoutDecision(why, verdict, policy?.needed)
  const { tone, sentence } = verdict
  const because = uncapitalized(sentence)
  const lead = { fail: answerLead('no'), inconclusive: 'Release: not yet', pass: answerLead('yes') }[tone]
  return {
    tone,
    question: releaseQuestion,
    sentence: lead + (tone === 'inconclusive' ? `. ${sentence}` : `, because ${because}`),
    lead,
    basis: 'There is no release policy; docs/gating.md describes how to write one.',
  }
}

function withoutDecision(why: string, verdict: VerdictSentence, needed: Answer['needed']): Answer {
  const tone = toneWithoutDecision(verdict)
  const answer = answerText('no decision', why)
  // The sentence mentions the verdicts unless all checked requirements hold or are observed.
  const isInSentence = tone !== 'none'
  return {
    tone,
    question: releaseQuestion,
    sentence: isInSentence ? `${answer} ${verdict.sentence}` : answer,
    lead: answerLead('no decision'),
    ...(!isInSentence && { state: verdict.sentence }),
    basis: '',
    ...(needed && { needed }),
  }
}

/** The answer of a probe run: what it measured. If a requirement is violated, the violation comes first. */
function measured(results: RunResults, verdict: VerdictSentence): Answer {
  const tone = toneWithoutDecision(verdict)
  const figures = measuredText(results)
  const isViolated = tone === 'fail'
  return {
    tone,
    question: `What did the ${probesOf(results).length === 1 ? 'probe' : 'probes'} measure?`,
    sentence: isViolated ? verdict.sentence : figures,
    state: isViolated ? figures : verdict.sentence,
    basis: 'This probe run does not decide on a release.',
  }
}

function toneWithoutDecision({ tone, isUnjudged }: VerdictSentence): Answer['tone'] {
  return tone === 'pass' || isUnjudged ? 'none' : tone
}

function answerOfPolicy(
  { decision, file = policyName }: PolicyDecision,
  results: RunResults,
  verdict: VerdictSentence,
): Answer {
  const { release, answer, because, exitCode, decidedAt, findings, coverage } = decision
  const whyUnsuitable = findings
    .filter(({ subject }) => subject === 'run')
    .map(({ text }) => `${capitalized(text)}.`)
  // If the run is suitable, only a wrong configuration prevents a decision.
  const isMisconfigured = answer === 'no decision' && whyUnsuitable.length === 0
  const needed = isMisconfigured ? afterMisconfiguration(results, decision) : neededRun(decision)
  const counts = countApplicable(results.requirements)
  // If the policy covers all checked requirements, the sentence states the verdicts of all.
  const coversAllChecked = counts.applicable === coverage.applicable
  const basis = [
    `Decision of ${minuteOf(decidedAt)} under ${file} (${conditionsOf(decision.policy)}).`,
    ...whyUnsuitable,
    whyUnsuitable.length > 0
      ? `In this run: ${uncapitalized(verdict.sentence)}`
      : coversAllChecked
        ? inconclusiveText(counts)
        : `Over all levels and areas: ${uncapitalized(verdict.sentence)}`,
  ]
  return {
    tone: release ? 'pass' : exitCode === exitCodes.violated ? 'fail' : 'inconclusive',
    question: releaseQuestion,
    sentence: answerText(answer, because),
    lead: answerLead(answer),
    basis: basis.join(' ').trim(),
    ...(needed && { needed }),
  }
}

/** The scope and the limits of a policy: `level must, run at most 24 h old, at least 150 requirements checked`. */
function conditionsOf({ levels, areas = [], maximumAgeHours, minimumApplicable }: Policy): string {
  const { overall } = minimumApplicable
  return [
    `level ${levels.join(', ')}`,
    ...areas.map((area) => `area ${area}`),
    `run at most ${age(maximumAgeHours * 3_600_000)} old`,
    ...(overall === undefined ? [] : [`at least ${counted(overall, 'requirement')} checked`]),
  ].join(', ')
}

/**
 * What to do if only the configuration prevents a decision: run `doctor`, or a new run if the variables are among those
 * that `doctor` does not judge.
 */
function afterMisconfiguration(results: RunResults, decision: PolicyDecision['decision']): Answer['needed'] {
  const doctor = inconclusiveByCause(results)
    .filter(({ cause }) => cause === 'configuration')
    .map(({ cause, variables }) => remedyCommand(cause, results, variables))
    .find((command) => command !== undefined)
  return doctor === undefined
    ? {
        text: 'When you have changed the configuration as the reasons state:',
        command: neededCommand(decision.policy, decision.run),
      }
    : { text: 'To find the variable to change:', command: doctor }
}

interface VerdictSentence {
  readonly tone: 'fail' | 'inconclusive' | 'pass'
  readonly sentence: string
  /** Whether a complete run only observed requirements, none of which is inconclusive. */
  readonly isUnjudged?: boolean
}

/** The state of the requirements. Observed requirements are counted separately. */
function verdictOf(results: RunResults): VerdictSentence {
  const counts = countApplicable(results.requirements)
  const { applicable, fail, inconclusive, observed, inconclusiveObserveOnly } = counts
  const { completed } = results.run
  const shareText = (count: number) =>
    `${applicable === 1 ? 'the only checked requirement' : `${count} of ${applicable} checked requirements`} ${isOrAre(count)}`
  const isDefective = allChecks(results).some(
    ({ check: { verdict, cause } }) => verdict === 'inconclusive' && cause === 'harness',
  )
  const defect = isDefective ? ' A defect of Plumbline makes this run unreliable.' : ''
  const details = detailsText(counts)
  const observeOnlyCount = `${inconclusiveObserveOnly} that Plumbline only observes`
  const observeOnlySentence = observeOnlyText(counts)
  if (fail > 0) {
    const inconclusivePart =
      inconclusive > 0 ? `, and ${inconclusive} ${isOrAre(inconclusive)} inconclusive` : ''
    const violated = `${capitalized(shareText(fail))} violated${inconclusivePart}${details}`
    return { tone: 'fail', sentence: `${violated}.${observeOnlySentence}${defect}` }
  }
  if (inconclusive > 0) {
    const what = `${shareText(inconclusive)} inconclusive${details}`
    return {
      tone: 'inconclusive',
      sentence: `No requirement is violated, but ${what}.${observeOnlySentence}${defect}`,
    }
  }
  if (applicable === 0) {
    const seen = [
      ...(observed > 0 ? [`${observed} ${isOrAre(observed)} observed`] : []),
      ...(inconclusiveObserveOnly > 0
        ? [`${observeOnlyCount} ${isOrAre(inconclusiveObserveOnly)} inconclusive`]
        : []),
    ]
    const why =
      seen.length === 0
        ? 'No requirement was checked.'
        : `No requirement was judged; ${seen.join(', and ')}.${defect}`
    return {
      tone: 'inconclusive',
      sentence: why,
      isUnjudged: observed > 0 && inconclusiveObserveOnly === 0 && completed,
    }
  }
  const holds =
    applicable === 1 ? 'The only checked requirement holds' : `All ${applicable} checked requirements hold`
  const but =
    inconclusiveObserveOnly === 0
      ? ''
      : `, but ${observeOnlyCount} ${isOrAre(inconclusiveObserveOnly)} inconclusive`
  return {
    tone: completed && !isDefective && inconclusiveObserveOnly === 0 ? 'pass' : 'inconclusive',
    sentence: `${holds}${but}${details}.${defect}`,
  }
}

/** `, 365 of them because the run ended before their checks; 40 more are observed`; empty if there are none. */
function detailsText({ inconclusive, unbegun, observed, inconclusiveObserveOnly }: ApplicableCounts): string {
  const share = unbegun === inconclusive ? '' : `, ${unbegun} of them`
  const ended =
    unbegun === 0 ? '' : `${share} because the run ended before ${unbegun === 1 ? 'its' : 'their'} checks`
  // `observeOnlyText` also counts the observed requirements if it has a text.
  return `${ended}${observed === 0 || inconclusiveObserveOnly > 0 ? '' : `; ${observed} more ${isOrAre(observed)} observed`}`
}

/**
 * `12 requirements are inconclusive, including 2 that Plumbline only observes.` A decision of the policy omits these 2.
 * Empty if none of the requirements that Plumbline only observes is inconclusive.
 */
function inconclusiveText(counts: ApplicableCounts): string {
  const { inconclusive, inconclusiveObserveOnly } = counts
  if (inconclusive === 0 || inconclusiveObserveOnly === 0) return observeOnlyText(counts).trim()
  const all = inconclusive + inconclusiveObserveOnly
  return `${all} requirements are inconclusive, including ${inconclusiveObserveOnly} that Plumbline only observes.`
}

/** ` 8 of the 10 requirements that Plumbline only observes are inconclusive, too: 20 in all.`; empty for 0 of 10. */
function observeOnlyText({ inconclusive, observed, inconclusiveObserveOnly }: ApplicableCounts): string {
  const all = observed + inconclusiveObserveOnly
  if (inconclusiveObserveOnly === 0) return ''
  const too = inconclusive === 0 ? '' : `, too: ${inconclusive + inconclusiveObserveOnly} in all`
  if (all === 1) return ` The requirement that Plumbline only observes is inconclusive${too}.`
  const which = observed === 0 ? `The ${all}` : `${inconclusiveObserveOnly} of the ${all}`
  return ` ${which} requirements that Plumbline only observes ${isOrAre(inconclusiveObserveOnly)} inconclusive${too}.`
}

/** Why a run does not decide on a release, whatever its verdicts are; undefined if the run decides. */
function whyNoDecision({ run }: RunResults): string | undefined {
  const selected = selectionParts(run.selection)
  if (run.target === 'embedded') return 'the run checked the embedded provider'
  if (!run.completed) return 'the run ended early'
  if (selected.length > 0)
    return `only ${someOf(selected)} ${selected.length === 1 ? 'was' : 'were'} selected`
  return undefined
}

function uncapitalized(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are'
}
