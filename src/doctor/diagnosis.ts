import { obstacleOf } from '../check/obstacle.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { HttpFailure } from '../http/failures.ts'
import { type Problem, SetupError } from '../target/problem.ts'
import { listText } from '../text/format.ts'

/** The topics in the order of their examination. */
const topics = [
  'configuration',
  'browser',
  'network',
  'discovery',
  'clock',
  'key set',
  'application',
  'login',
  'tokens',
  'UserInfo',
  'second application',
  'Event Hub',
] as const
export type Topic = (typeof topics)[number]

/**
 * - `error`: the user must change something.
 * - `unexpected`: a check must judge the response of the target.
 * - `unanswered`: the target did not respond.
 * - `skipped`: the topic was not examined.
 */
export type Severity = 'ok' | 'warning' | 'error' | 'unexpected' | 'unanswered' | 'skipped'

/** The result of one examination, without secrets. */
export interface Diagnosis {
  readonly topic: Topic
  readonly severity: Severity
  /** The variables concerned; for an error, the most likely cause first. */
  readonly variables: readonly string[]
  /** One sentence. */
  readonly what: string
  /** What to do, as an imperative; null if no action is needed. */
  readonly advice: string | null
  /** What to change, if `variables` do not state it. */
  readonly change?: string
  /** Whether all variables contain the wrong value, such as a host; otherwise each variable is a possible cause. */
  readonly inAll?: boolean
}

type Diagnose = (
  topic: Topic,
  what: string,
  variables?: readonly string[],
  advice?: string | null,
) => Diagnosis

function diagnosisWith(severity: Severity): Diagnose {
  return (topic, what, variables = [], advice = null) => ({ topic, severity, variables, what, advice })
}

/** Functions that create a diagnosis, by severity. */
export const diagnose = {
  ok: diagnosisWith('ok'),
  warning: diagnosisWith('warning'),
  error: diagnosisWith('error'),
  unanswered: diagnosisWith('unanswered'),
  skipped: diagnosisWith('skipped'),
}

/** The diagnosis of an unexpected response, with the command that judges it. */
export function unexpected(
  topic: Topic,
  what: string,
  requirement: string,
  target: string,
  variables: readonly string[] = [],
): Diagnosis {
  const advice = `run \`npx plumbline check --target ${target} --only ${requirement}\`, which judges it`
  return diagnosisWith('unexpected')(topic, what, variables, advice)
}

/** One diagnosis for several topics that are skipped for the same reason. Its topic is the first of them. */
export function skippedTopics(skipped: readonly Topic[], why: string): Diagnosis[] {
  const [first, ...others] = skipped
  if (first === undefined) return []
  const what = others.length === 0 ? why : `${why}, so these are not checked: ${skipped.join(', ')}`
  return [diagnose.skipped(first, what)]
}

/** The diagnosis of an invalid configuration: every other topic is skipped. */
export function withoutConfiguration(): Diagnosis[] {
  return skippedTopics(
    topics.filter((topic) => topic !== 'configuration'),
    'the configuration is not valid',
  )
}

/** Topics whose success proves that variables are correct. Earlier topics only show that values are well-formed. */
const proving: ReadonlySet<Topic> = new Set(topics.slice(topics.indexOf('application')))

/**
 * The possible causes of an error: its variables, without those that another diagnosis proves correct. If no variable
 * remains, all variables are possible causes. The cause of an error without variables is its topic.
 */
function candidatesOf({ variables, topic }: Diagnosis, all: readonly Diagnosis[]): readonly string[] {
  const proven = new Set(
    all.filter((one) => one.severity === 'ok' && proving.has(one.topic)).flatMap((one) => one.variables),
  )
  const candidates = variables.filter((name) => !proven.has(name))
  if (candidates.length > 0) return candidates
  return variables.length > 0 ? variables : [topic]
}

/** What the user may have to change: `CLIENT_ID or CLIENT_SECRET`, `the host in A and B`. */
export function changeText(error: Diagnosis, all: readonly Diagnosis[]): string {
  const { inAll = false, variables, change } = error
  if (change !== undefined) return change
  return inAll && variables.length > 1
    ? `the host in ${listText(variables)}`
    : variables.length === 0
      ? `see "${error.topic}" above`
      : candidatesOf(error, all).join(' or ')
}

/** All topics. Those whose errors leave most checks inconclusive come first. */
const blocking: readonly Topic[] = [
  'configuration',
  'browser',
  'network',
  'discovery',
  'application',
  'login',
  'tokens',
  'Event Hub',
  'key set',
  'clock',
  'UserInfo',
  'second application',
]

/** All errors, those that block most checks first. */
export function errorsOf(all: readonly Diagnosis[]): Diagnosis[] {
  const errors = all.filter(({ severity }) => severity === 'error')
  return errors.sort((one, other) => blocking.indexOf(one.topic) - blocking.indexOf(other.topic))
}

const tryAgain = 'no error was found in the configuration: try again later'

/** `setup` if there is an error, else `inconclusive` if a response is missing or unexpected. */
export function exitCodeOfDiagnoses(all: readonly Diagnosis[]): ExitCode<'ok' | 'inconclusive' | 'setup'> {
  const has = (...severities: readonly Severity[]) =>
    all.some(({ severity }) => severities.includes(severity))
  if (has('error')) return exitCodes.setup
  return has('unanswered', 'unexpected') ? exitCodes.inconclusive : exitCodes.ok
}

/**
 * The diagnoses of a failed examination: errors if the configuration is the cause, else unanswered.
 * @param variables the variables that the examination needs, if the failure names none
 * @throws the failure if it is a defect of Plumbline
 */
export function diagnosesOf(
  topic: Topic,
  failure: unknown,
  variables: readonly string[],
  target: string,
): Diagnosis[] {
  if (failure instanceof SetupError)
    return failure.problems.map((problem) => problemDiagnosis(problem, topic))
  const { cause, reason, advice, dependsOn, variables: known } = obstacleOf(failure)
  const isOfHttp = failure instanceof HttpFailure
  const named = known.length > 0 ? known : variables
  if (cause === 'configuration' || (isOfHttp && failure.kind === 'unreachable'))
    return [diagnose.error(topic, reason, named, advice ?? `check ${named.join(', ')}`)]
  const [requirement] = dependsOn
  const concerned = isOfHttp ? named : known
  if (requirement === undefined) return [diagnose.unanswered(topic, reason, concerned, advice ?? tryAgain)]
  const judged = unexpected(topic, reason, requirement, target, concerned)
  return [advice === null ? judged : { ...judged, advice }]
}

/** The diagnosis of a problem that validation found. */
function problemDiagnosis(
  { name, what, variables = [name], advice, example }: Problem,
  topic: Topic,
): Diagnosis {
  const texts = [advice, example === undefined ? undefined : `for example ${name}=${example}`]
  const all = texts.filter((text) => text !== undefined).join('; ')
  return diagnose.error(topic, `${name} ${what}`, variables, all || null)
}
