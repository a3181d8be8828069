import { Inconclusive } from '../../check/verdict.ts'
import { causeOf, HttpFailure } from '../../http/failures.ts'
import { SetupError } from '../../target/problem.ts'
import { variableNames } from '../../target/sources.ts'
import { problemFindings } from './configuration.ts'
import { type Finding, finding, type Topic } from './finding.ts'

/**
 * What kept a step from its end, as a finding: what lies in the configuration has to be changed; what does not
 * is the target's, for now or for a check to judge.
 * @param variables those that the step rests on, where the sentence names none
 * @throws what is a defect of Plumbline
 */
export function troubleOf(topic: Topic, error: unknown, variables: readonly string[]): Finding[] {
  if (error instanceof SetupError) return problemFindings(error.problems)
  if (error instanceof HttpFailure) {
    const isWrong = error.kind === 'unreachable' || causeOf(error) === 'configuration'
    const named = variablesIn(error.message)
    return [
      finding(topic, isWrong ? 'error' : 'unanswered', error.message, {
        variables: named.length > 0 ? named : variables,
        advice: isWrong
          ? `correct ${(named.length > 0 ? named : variables).join(', ')}`
          : 'nothing needs to be changed as far as can be told: ask again later',
      }),
    ]
  }
  if (!(error instanceof Inconclusive)) throw error
  const { what, advice } = inTwo(error.message)
  const named = variablesIn(error.message)
  const about = { variables: named.length > 0 ? named : variables }
  if (error.cause === 'configuration') {
    return [
      finding(topic, 'error', what, { ...about, advice: advice ?? `check ${about.variables.join(', ')}` }),
    ]
  }
  const requirement = /\bsee ([A-Z][A-Z0-9-]+)$/.exec(error.message)?.[1]
  return [
    finding(topic, 'unanswered', requirement === undefined ? error.message : what, {
      advice:
        requirement === undefined
          ? 'nothing needs to be changed as far as can be told: ask again later'
          : `whether that is right is for a check: plumbline check --only ${requirement}`,
    }),
  ]
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
