/** What was looked at, in the order in which it is told. */
export const topics = [
  'configuration',
  'browser',
  'network',
  'clock',
  'discovery',
  'key set',
  'application',
  'login',
  'tokens',
  'user-info',
  'Event Hub',
] as const

export type Topic = (typeof topics)[number]

/**
 * `error`: something has to be changed. `unanswered`: the target could not be asked, or what it answered is for a
 * check to judge. `skipped`: not looked at, since it cannot be or need not be.
 */
export type Severity = 'ok' | 'warning' | 'error' | 'unanswered' | 'skipped'

/** One thing that was looked at. Holds no secret. */
export interface Finding {
  readonly topic: Topic
  readonly severity: Severity
  /** Variables that it is about; of an error, the likeliest to be wrong first. */
  readonly variables: readonly string[]
  /** One sentence: what was found. */
  readonly what: string
  /** What to do about it; null where there is nothing to do. */
  readonly advice: string | null
}

/** A finding, with what can be left out. */
export function finding(
  topic: Topic,
  severity: Severity,
  what: string,
  { variables = [], advice = null }: Partial<Pick<Finding, 'variables' | 'advice'>> = {},
): Finding {
  return { topic, severity, variables, what, advice }
}

/** Topics whose good findings show that the values of variables are right, and not only well written or reachable. */
const proving: ReadonlySet<Topic> = new Set(['application', 'login', 'tokens', 'user-info', 'Event Hub'])

/**
 * Which variables may have to be changed because of an error: all that it is about, but for those that other findings
 * showed to be right. Its topic where it is about none.
 */
export function candidatesOf({ variables, topic }: Finding, findings: readonly Finding[]): readonly string[] {
  const good = new Set(
    findings.filter((one) => one.severity === 'ok' && proving.has(one.topic)).flatMap((one) => one.variables),
  )
  const left = variables.filter((name) => !good.has(name))
  if (left.length > 0) return left
  return variables.length > 0 ? variables : [topic]
}

/** The advice where an answer is not as expected, but nothing of the configuration is known to be wrong. */
export function judgedBy(requirement: string): string {
  return `whether that is right is for a check: plumbline check --only ${requirement}`
}

/** The advice where JWKS_URL leads to no key set, or to that of somebody else. */
export const correctJwksUrl = 'correct JWKS_URL, or leave it out to have the key set found by discovery'

/**
 * 0 where nothing has to be changed, 3 where something has to, 2 where nothing is known to be wrong, but the
 * target could not be asked everything.
 */
export function exitCodeOf(findings: readonly Finding[]): 0 | 2 | 3 {
  if (findings.some(({ severity }) => severity === 'error')) return 3
  return findings.some(({ severity }) => severity === 'unanswered') ? 2 : 0
}
