import { isRecorded } from '../check/requirement.ts'
import type { Cause } from '../check/verdict.ts'
import { countApplicable } from './applicable.ts'
import { inconclusiveByCause } from './inconclusive.ts'
import type { RunResults } from './results.ts'

/** Fewer inconclusive requirements need no sentence: the lists of the report show them. */
const minInconclusive = 10
/** A run decided little if more than this share of the applicable requirements is inconclusive. */
const littleShare = 0.5
/** Up to this number, the sentence lists variables. */
const maxVariables = 3

/** Each completes "inconclusive because of …". */
const causeTexts: Readonly<Record<Cause, string>> = {
  target: 'violations from which they follow',
  configuration: 'the configuration',
  throttled: 'throttling',
  environment: 'the environment',
  harness: 'a defect of Plumbline',
}

/**
 * `This run decided little: 220 of 290 applicable requirements are inconclusive, all because of the configuration
 * (TEST_USER, TEST_PASSWORD).`
 * @returns undefined if most applicable requirements are decided, or the run ended early
 */
export function decidedLittle(results: RunResults): string | undefined {
  const { applicable, inconclusive } = countApplicable(results.requirements)
  const isLittle = inconclusive >= minInconclusive && inconclusive > applicable * littleShare
  if (!isLittle || !results.run.completed) return undefined
  const open = results.requirements.filter(
    ({ verdict, level }) => verdict === 'inconclusive' && !isRecorded(level),
  )
  const groups = Map.groupBy(inconclusiveByCause(results), ({ cause }) => cause)
  const [main] = [...groups]
    .map(([cause, parts]) => {
      const ids = new Set(parts.flatMap(({ reasons }) => reasons.flatMap((reason) => reason.ids)))
      const variables = new Set(parts.flatMap((part) => [...part.variables]))
      return { cause, variables, count: open.filter(({ id }) => ids.has(id)).length }
    })
    .sort((one, other) => other.count - one.count)
  if (main === undefined) return undefined
  const { cause, variables, count } = main
  const names = variables.size > 0 && variables.size <= maxVariables ? ` (${[...variables].join(', ')})` : ''
  const share = count === inconclusive ? 'all' : `${count} of them`
  return `This run decided little: ${inconclusive} of ${applicable} applicable requirements are inconclusive, ${share} because of ${causeTexts[cause]}${names}.`
}
