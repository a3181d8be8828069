import type { ProbeId } from '../check/result.ts'
import { exitCodes } from '../exit-codes.ts'
import type { PolicyAnswer } from '../release/gate.ts'
import { policyName } from '../release/policy.ts'
import { answerLead, answerText, neededRun } from '../release/text.ts'
import { type ApplicableCounts, countApplicable } from '../results/applicable.ts'
import { decidedLittle } from '../results/decided-little.ts'
import { allChecks, probesOf } from '../results/queries.ts'
import type { RunResults } from '../results/results.ts'
import { selectionParts } from '../results/text.ts'
import { capitalized, duration, minuteOf, rateText, someOf } from '../text/format.ts'

/** Whether a run supports a release: the first information for a reader. */
export interface Answer {
  /** `none`: the run does not decide on a release, and no requirement is violated or inconclusive. */
  readonly tone: 'fail' | 'inconclusive' | 'pass' | 'none'
  readonly question: string
  /** That the run decided little, and why: the first information, since the answer then says little of the target. */
  readonly notice?: string
  /** The answer to the question; it begins with `Release: ` if the question is about a release. */
  readonly sentence: string
  /** The beginning of the sentence, without its reasons; absent if the question is not about a release. */
  readonly lead?: string
  /** The state of the requirements, if the sentence does not contain it. */
  readonly state?: string
  /** The basis of the answer; empty if the sentence contains everything. */
  readonly basis: string
  /** The run that the release policy needs, if this is not such a run. */
  readonly needed?: { readonly text: string; readonly command: string }
}

const releaseQuestion = 'May we release?'

/** @param policy the result of the project's release policy; undefined if there is none */
export function answerOf(results: RunResults, policy?: PolicyAnswer): Answer {
  const answer = decisionOf(results, policy)
  const notice = decidedLittle(results)
  return notice === undefined ? answer : { ...answer, notice }
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
    basis: 'There is no release policy; docs/gating.md describes one.',
  }
}

/** The answer of a run that does not decide on a release. */
function withoutDecision(why: string, verdict: VerdictSentence, needed: Answer['needed']): Answer {
  const tone = toneWithoutDecision(verdict)
  const answer = answerText('no decision', why)
  // What is violated or inconclusive is part of the headline.
  const isPart = tone !== 'none'
  return {
    tone,
    question: releaseQuestion,
    sentence: isPart ? `${answer} ${verdict.sentence}` : answer,
    lead: answerLead('no decision'),
    ...(!isPart && { state: verdict.sentence }),
    basis: '',
    ...(needed && { needed }),
  }
}

/** The answer of a probe run: what it measured, after any violation. */
function measured(results: RunResults, verdict: VerdictSentence): Answer {
  const tone = toneWithoutDecision(verdict)
  const figures = measuredText(results)
  const isViolated = tone === 'fail'
  return {
    tone,
    question: `What did the ${probesOf(results).length === 1 ? 'probe' : 'probes'} measure?`,
    sentence: isViolated ? verdict.sentence : figures,
    state: isViolated ? figures : verdict.sentence,
    basis: 'A probe run does not decide on a release; a check run does.',
  }
}

function toneWithoutDecision({ tone, isUnjudged }: VerdictSentence): Answer['tone'] {
  return tone === 'pass' || isUnjudged ? 'none' : tone
}

/** The answer of a release policy. */
function answerOfPolicy(
  { decision, file = policyName }: Extract<PolicyAnswer, { decision: unknown }>,
  results: RunResults,
  verdict: VerdictSentence,
): Answer {
  const { release, because, exitCode, decidedAt, policy, findings, coverage } = decision
  const scope = [`level ${policy.levels.join(', ')}`, ...(policy.areas ?? []).map((area) => `area ${area}`)]
  const unsuitable = findings
    .filter(({ subject }) => subject === 'run')
    .map(({ text }) => `${capitalized(text)}.`)
  const needed = neededRun(decision)
  const counts = countApplicable(results.requirements)
  const isWhole = counts.applicable === coverage.applicable
  const answer = release ? 'yes' : 'no'
  const basis = [
    `Decision of ${minuteOf(decidedAt)} under ${file} (${scope.join(', ')}).`,
    ...unsuitable,
    ...(unsuitable.length > 0
      ? [`In this run: ${uncapitalized(verdict.sentence)}`]
      : isWhole
        ? [unobservedText(counts).trim()]
        : [`Over all levels and areas: ${uncapitalized(verdict.sentence)}`]),
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
  const observedOnly = `${unobserved} that Plumbline only observes`
  const open = unobservedText(counts)
  if (fail > 0) {
    const rest = inconclusive > 0 ? `, and ${inconclusive} ${isOrAre(inconclusive)} inconclusive` : ''
    return { tone: 'fail', sentence: `${capitalized(some(fail))} violated${rest}${beside}.${open}${defect}` }
  }
  if (inconclusive > 0) {
    const what = `${some(inconclusive)} inconclusive${beside}`
    return { tone: 'inconclusive', sentence: `No requirement is violated, but ${what}.${open}${defect}` }
  }
  if (applicable === 0) {
    const seen = [
      ...(observed > 0 ? [`${observed} ${isOrAre(observed)} observed`] : []),
      ...(unobserved > 0 ? [`${observedOnly} ${isOrAre(unobserved)} inconclusive`] : []),
    ]
    const why =
      seen.length === 0
        ? 'No requirement was applicable, so nothing was checked.'
        : `No requirement was judged; ${seen.join(', and ')}.${defect}`
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
  const but = unobserved === 0 ? '' : `, but ${observedOnly} ${isOrAre(unobserved)} inconclusive`
  return {
    tone: completed && !isDefective && unobserved === 0 ? 'pass' : 'inconclusive',
    sentence: `${holds}${but}${beside}.${defect}`,
  }
}

/** `, 365 of them because the run ended before their checks; 40 more are observed`; empty if there are none. */
function besideText({ inconclusive, unbegun, observed, unobserved }: ApplicableCounts): string {
  const share = unbegun === inconclusive ? '' : `, ${unbegun} of them`
  const ended =
    unbegun === 0 ? '' : `${share} because the run ended before ${unbegun === 1 ? 'its' : 'their'} checks`
  // Beside inconclusive ones, another sentence counts them.
  return `${ended}${observed === 0 || unobserved > 0 ? '' : `; ${observed} more ${isOrAre(observed)} observed`}`
}

/** ` 8 of the 10 requirements that Plumbline only observes are inconclusive.`; empty if none is. */
function unobservedText({ observed, unobserved }: ApplicableCounts): string {
  const all = observed + unobserved
  if (unobserved === 0) return ''
  if (all === 1) return ' The requirement that Plumbline only observes is inconclusive.'
  const which = observed === 0 ? `The ${all}` : `${unobserved} of the ${all}`
  return ` ${which} requirements that Plumbline only observes ${isOrAre(unobserved)} inconclusive.`
}

/** Why a run does not decide on a release, independent of its verdicts; undefined if it does. */
function whyNoDecision({ run }: RunResults): string | undefined {
  const selected = selectionParts(run.selection)
  if (run.target === 'embedded') return 'the run checked the embedded provider'
  if (!run.completed) return 'the run ended early'
  if (selected.length > 0) return `only ${someOf(selected)} was selected`
  return undefined
}

function uncapitalized(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are'
}

/** What a probe run measured: `event-search: fixed window, 30 requests per 10.0 s.` */
function measuredText(results: RunResults): string {
  const others: ProbeId[] = []
  const parts: string[] = []
  for (const probe of probesOf(results)) {
    const text = probe.name === 'limiter' ? limiterText(results, probe.endpoint) : undefined
    if (text === undefined) others.push(probe)
    else parts.push(`${probe.endpoint}: ${text}`)
  }
  if (others.length > 0)
    parts.push(`${parts.length === 0 ? 'Probed' : 'also probed'}: ${byEndpoint(others).join(', ')}`)
  return parts.length === 0 ? 'No probe has a result.' : `${parts.join('; ')}.`
}

/** `ramp and recovery of token` instead of `ramp of token, recovery of token`. */
function byEndpoint(probes: readonly ProbeId[]): string[] {
  return [...Map.groupBy(probes, ({ endpoint }) => endpoint)].map(([endpoint, some]) => {
    const names = some.map(({ name }) => name)
    return `${new Intl.ListFormat('en-GB').format(names)} of ${endpoint}`
  })
}

/** What the probe `limiter` found; undefined if it ended without a conclusion. */
function limiterText({ observations }: RunResults, endpoint: string): string | undefined {
  const observed = (name: string) =>
    observations.find(
      ({ measured }) =>
        measured?.endpoint === endpoint && measured.source === 'limiter' && measured.figure === name,
    )?.value
  const figure = (name: string) => {
    const value = observed(name)
    return typeof value === 'number' ? value : undefined
  }
  const kind = observed('kind')
  if (typeof kind !== 'string') return undefined
  if (kind === 'not-throttled') return 'no request was throttled; a higher limit may exist'
  if (kind === 'not-identified') return 'limiter not identified'
  const [capacity, windowMs, rate] = [figure('capacity'), figure('window-ms'), figure('rate-per-second')]
  const name = kind.replace('sliding-', 'sliding-window-').replaceAll('-', ' ')
  if (capacity !== undefined && windowMs !== undefined)
    return `${name}, ${capacity} requests per ${duration(windowMs)}`
  return [
    name,
    ...(capacity === undefined ? [] : [`${capacity} requests at once`]),
    ...(rate === undefined ? [] : [`${rateText(rate)} requests/s`]),
  ].join(', ')
}
