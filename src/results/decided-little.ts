import { isRecorded } from '../check/requirement.ts'
import type { Cause } from '../check/verdict.ts'
import { countApplicable } from './applicable.ts'
import { inconclusiveByCause } from './inconclusive.ts'
import { idsIn, notCheckedByReason } from './not-checked.ts'
import type { RunResults } from './results.ts'

/**
 * A report states that a run decided little only if at least this many requirements are inconclusive or need a
 * variable. Shorter lists in the report are clear enough by themselves.
 */
const minLacking = 10
/**
 * A run decided little if more than this share of its requirements is inconclusive or needs a variable. Requirements
 * that are not checked for other reasons do not count.
 */
const littleShare = 0.5
/** The sentence lists at most this many variables that may be wrong; if there are more, it lists none. */
const maxVariables = 3

const beginning = 'This run decided little'

/** Each completes "inconclusive because of …". */
const causeTexts: Readonly<Record<Cause, string>> = {
  target: 'violations from which they follow',
  configuration: 'the configuration',
  throttled: 'throttling',
  environment: 'the environment',
  harness: 'a defect of Plumbline',
}

/**
 * `This run decided little: 220 of 290 checked requirements are inconclusive, all because of the configuration
 * (TEST_USER, TEST_PASSWORD).`
 * @returns undefined if the run decided enough, or ended early
 */
export function decidedLittle(results: RunResults): string | undefined {
  if (!results.run.completed) return undefined
  const { applicable, inconclusive } = countApplicable(results.requirements)
  const reasons = notCheckedByReason(results.requirements.filter(({ level }) => !isRecorded(level)))
    .filter(({ kind }) => kind === 'needVariable')
    .sort((one, other) => other.ids.length - one.ids.length)
  const lackingVariable = idsIn(reasons).length
  const isLittle = (lacking: number, of: number) => lacking >= minLacking && lacking > of * littleShare
  if (inconclusive >= lackingVariable && isLittle(inconclusive, applicable))
    return inconclusiveText(results, applicable, inconclusive)
  const [mostFrequent] = reasons
  const all = applicable + lackingVariable
  if (mostFrequent === undefined || !isLittle(inconclusive + lackingVariable, all)) return undefined
  const inconclusivePart = inconclusive === 0 ? '' : `, and ${inconclusive} are inconclusive`
  const label = reasons.length === 1 ? 'the reason' : 'the most frequent reason'
  return `${beginning}: ${lackingVariable} of ${all} requirements need a variable to be set or changed${inconclusivePart}; ${label}: ${mostFrequent.reason}.`
}

function inconclusiveText(results: RunResults, applicable: number, inconclusive: number): string | undefined {
  const inconclusiveRequirements = results.requirements.filter(
    ({ verdict, level }) => verdict === 'inconclusive' && !isRecorded(level),
  )
  const groups = Map.groupBy(inconclusiveByCause(results), ({ cause }) => cause)
  const [mostFrequent] = [...groups]
    .map(([cause, parts]) => {
      const ids = new Set(idsIn(parts.flatMap((part) => part.reasons)))
      const variables = new Set(parts.flatMap((part) => [...part.variables]))
      return { cause, variables, count: inconclusiveRequirements.filter(({ id }) => ids.has(id)).length }
    })
    .sort((one, other) => other.count - one.count)
  if (mostFrequent === undefined) return undefined
  const { cause, variables, count } = mostFrequent
  const names = variables.size > 0 && variables.size <= maxVariables ? ` (${[...variables].join(', ')})` : ''
  const share = count === inconclusive ? 'all' : `${count} of them`
  return `${beginning}: ${inconclusive} of ${applicable} checked requirements are inconclusive, ${share} because of ${causeTexts[cause]}${names}.`
}
