import { readFileSync } from 'node:fs'
import type { CheckResult } from '../check/result.ts'
import type { Exchange } from '../evidence/exchange.ts'
import type { RunResults } from '../results/results.ts'

/**
 * The requests that each check needs, measured in a run. Two checks that share a login both list the requests of this
 * login. The cost of several checks is therefore the number of different requests, not the sum.
 */
export interface CheckCosts {
  /** Number of requests that belong to no check, such as those of the preflight. */
  readonly beforehand: number
  /** Exchange numbers of the requests that contained a typed password. */
  readonly logins: readonly number[]
  /** Exchange numbers of the requests that showed a page in the browser. */
  readonly pages: readonly number[]
  /** Exchange numbers of the requests that a check needs, by `<requirement>: <name of the check>`. */
  readonly checks: Readonly<Record<string, readonly number[]>>
  /** Keys of the checks that turned out to be not applicable while they ran, by reason. */
  readonly notApplicable: Readonly<Record<string, readonly string[]>>
}

const file = new URL('./costs.json', import.meta.url)

/** Reads the costs on the embedded provider, as last measured. */
export function embeddedCosts(): CheckCosts {
  return JSON.parse(readFileSync(file, 'utf8')) as CheckCosts
}

export function checkKey({ requirement, name }: Pick<CheckResult, 'requirement' | 'name'>): string {
  return `${requirement}: ${name}`
}

/**
 * Computes the costs from the results of a run.
 * @param executed keys of the checks that were executed, because their declarations apply to the target
 */
export function checkCostsOf(
  { requirements, budget, exchanges }: RunResults,
  executed: ReadonlySet<string>,
): CheckCosts {
  const sent = new Set(exchanges.filter(wasSent).map(({ number }) => number))
  const records = requirements.flatMap(({ id, checks }) =>
    checks.map((check) => ({
      ...check,
      key: checkKey({ requirement: id, name: check.name }),
      exchanges: check.exchanges.filter((number) => sent.has(number)),
    })),
  )
  const numbers = new Set(records.flatMap((record) => record.exchanges))
  const withPassword = new Set(exchanges.filter(carriesPassword).map(({ number }) => number))
  // The exchanges of a check start with those that earlier checks share with it. Its last `requests` exchanges are its
  // own. A cancelled login also submits a password field, but an empty one, so `logins` limits the number.
  const typed = records.flatMap((record) =>
    record.exchanges
      .slice(record.exchanges.length - record.requests)
      .filter((number) => withPassword.has(number))
      .slice(0, record.logins),
  )
  return {
    beforehand: budget.requests - numbers.size,
    logins: typed.sort((a, b) => a - b),
    pages: exchanges.filter(showsPage).map(({ number }) => number),
    checks: Object.fromEntries(records.map((record) => [record.key, record.exchanges])),
    notApplicable: keysByReason(
      records.filter(({ verdict, key }) => verdict === 'not-applicable' && executed.has(key)),
    ),
  }
}

function keysByReason(
  records: readonly { readonly key: string; readonly reason: string | null }[],
): Record<string, string[]> {
  const groups = Map.groupBy(records, ({ reason }) => reason ?? '')
  return Object.fromEntries([...groups].map(([reason, group]) => [reason, group.map(({ key }) => key)]))
}

/** Evidence also contains requests that Plumbline blocked, and requests that it answered with a copy of a response. */
function wasSent({ fromMemory, notSent }: Exchange): boolean {
  return fromMemory !== true && notSent !== true
}

function showsPage({ by, response }: Exchange): boolean {
  return (
    by === 'browser' && response?.status === 200 && /^text\/html/.test(response.headers['content-type'] ?? '')
  )
}

/** Recognises only the password field of the embedded provider; other login forms may name it differently. */
function carriesPassword({ by, request }: Exchange): boolean {
  return by === 'browser' && request.body?.some((member) => member.startsWith('password=')) === true
}

export interface TotalCost {
  readonly requests: number
  /** Logins with a typed password. */
  readonly logins: number
  /** Pages that the browser shows. */
  readonly pages: number
}

/** The cost of several checks together. A check that was not measured counts as 0 requests. */
export function totalCostOf(costs: CheckCosts, keys: readonly string[]): TotalCost {
  const numbers = new Set(keys.flatMap((key) => costs.checks[key] ?? []))
  return {
    requests: keys.length === 0 ? 0 : costs.beforehand + numbers.size,
    logins: costs.logins.filter((number) => numbers.has(number)).length,
    pages: costs.pages.filter((number) => numbers.has(number)).length,
  }
}
