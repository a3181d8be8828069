import type { PolicyAnswer } from '../release/gate.ts'
import { allChecks } from '../results/queries.ts'
import type { RunResults } from '../results/results.ts'
import { capitalized, minuteOf } from '../text/format.ts'

/** Whether a run supports a release: the first information for a reader. */
export interface Answer {
  readonly tone: 'fail' | 'inconclusive' | 'pass'
  /** One sentence that begins with yes or no if the run decides on a release. */
  readonly sentence: string
  /** The grounds of the sentence, or why the run does not decide on a release. */
  readonly ground: string
}

/** @param policy the result of the project's release policy; undefined if there is none */
export function answerOf(results: RunResults, policy?: PolicyAnswer): Answer {
  const verdict = verdictOf(results)
  if (policy && 'decision' in policy) {
    const { release, because, exitCode, decidedAt, policy: rules } = policy.decision
    const scope = [`level ${rules.levels.join(', ')}`, ...(rules.areas ?? []).map((area) => `area ${area}`)]
    return {
      tone: release ? 'pass' : exitCode === 1 ? 'fail' : 'inconclusive',
      sentence: `${release ? 'Yes' : 'No'}: ${because}.`,
      ground: `Decided by the release policy for ${scope.join(', ')}, as of ${minuteOf(decidedAt)} UTC. In the whole run, with all levels and areas: ${uncapitalized(verdict.sentence)}`,
    }
  }
  const why = policy ? `The release policy makes no decision: ${policy.undecided}.` : whyNoDecision(results)
  if (why !== undefined) return { ...verdict, ground: why }
  const word = { fail: 'No', inconclusive: 'Not yet', pass: 'Yes' }[verdict.tone]
  return {
    ...verdict,
    sentence: `${word}: ${uncapitalized(verdict.sentence)}`,
    ground: 'There is no release policy; docs/gating.md describes one.',
  }
}

/** The state of the requirements, without a decision. */
function verdictOf(results: RunResults): Pick<Answer, 'tone' | 'sentence'> {
  const { totals, requirements } = results
  const applicable = requirements.length - totals['not-applicable']
  const some = (count: number) =>
    `${applicable === 1 ? 'the only applicable requirement' : `${count} of ${applicable} applicable requirements`} ${isOrAre(count)}`
  const { fail, inconclusive } = totals
  const defect = allChecks(results).some(
    ({ check: { verdict, cause } }) => verdict === 'inconclusive' && cause === 'harness',
  )
    ? ' A defect of Plumbline makes this run unreliable.'
    : ''
  if (fail > 0) {
    const rest = inconclusive > 0 ? `, and ${inconclusive} ${isOrAre(inconclusive)} inconclusive` : ''
    return { tone: 'fail', sentence: `${capitalized(some(fail))} violated${rest}.${defect}` }
  }
  if (inconclusive > 0) {
    const sentence = `No requirement is violated, but ${some(inconclusive)} inconclusive.${defect}`
    return { tone: 'inconclusive', sentence }
  }
  if (applicable === 0)
    return { tone: 'inconclusive', sentence: 'No requirement applied, so nothing was checked.' }
  const holds =
    applicable === 1
      ? 'The only applicable requirement holds.'
      : `All ${applicable} applicable requirements hold.`
  return {
    tone: results.run.completed && defect === '' ? 'pass' : 'inconclusive',
    sentence: `${holds}${defect}`,
  }
}

/** Why a run does not decide on a release, independent of its verdicts; undefined if it does. */
function whyNoDecision({ run }: RunResults): string | undefined {
  const { only, areas } = run.selection
  if (run.kind === 'probe') return 'Probes measure limits, and do not decide on a release.'
  if (run.target === 'embedded')
    return 'This run checked the embedded provider, so it does not decide on a release.'
  if (!run.completed) return 'The run ended early, so it does not decide on a release.'
  if (only.length + areas.length > 0)
    return `Only ${[...only, ...areas.map((area) => `area ${area}`)].join(', ')} was selected, so the run does not decide on a release.`
  return undefined
}

function uncapitalized(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are'
}
