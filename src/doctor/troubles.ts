import { Inconclusive } from '../check/verdict.ts'
import { causeOf, HttpFailure } from '../http/failures.ts'
import { SetupError } from '../target/problem.ts'
import { variableNames } from '../target/sources.ts'
import { problemFindings } from './configuration.ts'
import { type Finding, finding, judgedBy, type Topic } from './finding.ts'

const askAgain = 'nothing needs to be changed as far as can be told: ask again later'

/**
 * What kept a step from its end, as a finding: what lies in the configuration has to be changed; what does not
 * is the target's, for now or for a check to judge.
 * @param variables those that the step rests on, where the sentence names none
 * @throws what is a defect of Plumbline
 */
export function troubleOf(topic: Topic, error: unknown, variables: readonly string[]): Finding[] {
  if (error instanceof SetupError) return problemFindings(error.problems)
  if (!(error instanceof HttpFailure) && !(error instanceof Inconclusive)) throw error
  const named = variablesIn(error.message)
  const about = named.length > 0 ? named : variables
  if (error instanceof HttpFailure) {
    const isWrong = error.kind === 'unreachable' || causeOf(error) === 'configuration'
    return [
      finding(topic, isWrong ? 'error' : 'unanswered', error.message, {
        variables: about,
        advice: isWrong ? `correct ${about.join(', ')}` : askAgain,
      }),
    ]
  }
  const { what, advice } = inTwo(error.message)
  if (error.cause === 'configuration')
    return [
      finding(topic, 'error', what, { variables: about, advice: advice ?? `check ${about.join(', ')}` }),
    ]
  const [requirement] = error.dependsOn
  return requirement === undefined
    ? [finding(topic, 'unanswered', error.message, { advice: askAgain })]
    : [finding(topic, 'unanswered', what, { advice: judgedBy(requirement) })]
}

/** Variables that a sentence names, in its order. */
export function variablesIn(sentence: string): string[] {
  const words = sentence.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? []
  return [...new Set(words)].filter((word) => variableNames.includes(word))
}

/** A sentence of the steps, taken apart into what was found and what to do. */
function inTwo(sentence: string): { what: string; advice: string | null } {
  const parts = /^(.*?)[;:] ((?:check|correct|set|write|describe|see) .*)$/s.exec(sentence)
  return { what: parts?.[1] ?? sentence, advice: parts?.[2] ?? null }
}
