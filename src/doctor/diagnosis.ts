import { Inconclusive } from '../check/verdict.ts'
import { causeOf, HttpFailure } from '../http/failures.ts'
import { type Problem, SetupError } from '../target/problem.ts'

/** What is examined, in the order of the examination. */
export type Topic =
  | 'configuration'
  | 'browser'
  | 'network'
  | 'clock'
  | 'discovery'
  | 'key set'
  | 'application'
  | 'login'
  | 'tokens'
  | 'user-info'
  | 'Event Hub'

/**
 * `error`: something has to be changed. `unanswered`: the target did not answer, or answered something that is for a
 * check to judge. `skipped`: not examined.
 */
export type Severity = 'ok' | 'warning' | 'error' | 'unanswered' | 'skipped'

/** The result of one examination. Holds no secret. */
export interface Diagnosis {
  readonly topic: Topic
  readonly severity: Severity
  /** Variables that it concerns; of an error, the likeliest to be wrong first. */
  readonly variables: readonly string[]
  /** One sentence. */
  readonly what: string
  /** What to do, as an imperative; null where there is nothing to do. */
  readonly advice: string | null
}

const of =
  (severity: Severity) =>
  (
    topic: Topic,
    what: string,
    variables: readonly string[] = [],
    advice: string | null = null,
  ): Diagnosis => ({
    topic,
    severity,
    variables,
    what,
    advice,
  })

/** Makes a diagnosis of a severity. */
export const diagnose = {
  ok: of('ok'),
  warning: of('warning'),
  error: of('error'),
  unanswered: of('unanswered'),
  skipped: of('skipped'),
}

/** Topics whose success proves values right, and not only well-formed or reachable. */
const proving: ReadonlySet<Topic> = new Set(['application', 'login', 'tokens', 'user-info', 'Event Hub'])

/**
 * Variables that may have to be changed because of an error: all that it concerns, without those that another diagnosis
 * proves right. Its topic where it concerns none.
 */
export function candidatesOf({ variables, topic }: Diagnosis, all: readonly Diagnosis[]): readonly string[] {
  const right = new Set(
    all.filter((one) => one.severity === 'ok' && proving.has(one.topic)).flatMap((one) => one.variables),
  )
  const left = variables.filter((name) => !right.has(name))
  if (left.length > 0) return left
  return variables.length > 0 ? variables : [topic]
}

/** The advice for an unexpected answer where no variable is known to be wrong. */
export function judgedBy(requirement: string): string {
  return `run plumbline check for this target with --only ${requirement}, which judges it`
}

const tryAgain = 'nothing is known to be wrong with the configuration: try again later'

/** 3 where something has to be changed, else 2 where something is unanswered, else 0. */
export function exitCodeOf(all: readonly Diagnosis[]): 0 | 2 | 3 {
  if (all.some(({ severity }) => severity === 'error')) return 3
  return all.some(({ severity }) => severity === 'unanswered') ? 2 : 0
}

/**
 * What a failed examination says: an error where the configuration is at fault, else unanswered.
 * @param variables those that the examination needs, where the failure names none
 * @throws what is a defect of Plumbline
 */
export function diagnosesOf(topic: Topic, failure: unknown, variables: readonly string[]): Diagnosis[] {
  if (failure instanceof SetupError)
    return failure.problems.map((problem) => problemDiagnosis(problem, topic))
  if (!(failure instanceof HttpFailure) && !(failure instanceof Inconclusive)) throw failure
  const named = failure.variables.length > 0 ? failure.variables : variables
  const isWrong =
    failure instanceof HttpFailure
      ? failure.kind === 'unreachable' || causeOf(failure) === 'configuration'
      : failure.cause === 'configuration'
  if (isWrong)
    return [diagnose.error(topic, failure.message, named, failure.advice ?? `check ${named.join(', ')}`)]
  const [requirement] = failure instanceof Inconclusive ? failure.dependsOn : []
  const advice = requirement === undefined ? tryAgain : judgedBy(requirement)
  const concerned = failure instanceof HttpFailure ? named : failure.variables
  return [diagnose.unanswered(topic, failure.message, concerned, failure.advice ?? advice)]
}

/** A mistake that validation found. */
function problemDiagnosis(
  { name, what, variables = [name], advice, example }: Problem,
  topic: Topic = 'configuration',
): Diagnosis {
  const texts = [advice, example === undefined ? undefined : `for example ${name}=${example}`]
  const all = texts.filter((text) => text !== undefined).join('; ')
  return diagnose.error(topic, `${name} ${what}`, variables, all || null)
}
