import { readFileSync } from 'node:fs'
import type { Exchange } from '../evidence/exchange.ts'
import type { RunResults } from '../results/results.ts'

/**
 * What each check rests on, measured in a whole run against the embedded provider. Checks share logins, tokens and
 * controls, so a selection costs the union of what its checks rest on, not their sum.
 */
export interface Costs {
  /** Requests of a run that belong to no check. */
  readonly beforehand: number
  /** Numbers of the requests that carried a typed password. */
  readonly logins: readonly number[]
  /** Numbers of the requests a check rests on, by `<requirement>: <name of the check>`. */
  readonly checks: Readonly<Record<string, readonly number[]>>
  /** Checks that found out while they ran that they do not apply, by their reason. */
  readonly notApplicable: Readonly<Record<string, readonly string[]>>
}

const file = new URL('./costs.json', import.meta.url)

/** The costs that were measured last. */
export function readCosts(): Costs {
  return JSON.parse(readFileSync(file, 'utf8')) as Costs
}

export function checkKey(requirement: string, name: string): string {
  return `${requirement}: ${name}`
}

/**
 * Takes the costs from the results of a whole run.
 * @param ran keys of the checks that were run: nothing was known to speak against them
 */
export function costsOf({ requirements, budget, exchanges }: RunResults, ran: ReadonlySet<string>): Costs {
  const records = requirements.flatMap(({ id, checks }) =>
    checks.map((check) => ({ key: checkKey(id, check.name), ...check })),
  )
  const numbers = new Set(records.flatMap((record) => record.exchanges))
  // A form with an empty password, as a cancelled login sends it, is no login: the run counted those it typed.
  const withPassword = new Set(exchanges.filter(carriesPassword).map(({ number }) => number))
  const typed = records.flatMap((record) =>
    record.exchanges
      .slice(record.exchanges.length - record.requests)
      .filter((number) => withPassword.has(number))
      .slice(0, record.logins),
  )
  return {
    beforehand: budget.requests - numbers.size,
    logins: typed.sort((a, b) => a - b),
    checks: Object.fromEntries(records.map((record) => [record.key, record.exchanges])),
    notApplicable: keysByReason(
      records.filter(({ verdict, key }) => verdict === 'not-applicable' && ran.has(key)),
    ),
  }
}

function keysByReason(
  records: readonly { readonly key: string; readonly reason: string | null }[],
): Record<string, string[]> {
  const groups = Map.groupBy(records, ({ reason }) => reason ?? '')
  return Object.fromEntries([...groups].map(([reason, group]) => [reason, group.map(({ key }) => key)]))
}

function carriesPassword({ by, request }: Exchange): boolean {
  return by === 'browser' && request.body?.some((member) => member.startsWith('password=')) === true
}

/** Requests and typed logins of some checks together; a check that was never measured counts nothing. */
export function costOf(costs: Costs, keys: readonly string[]): { requests: number; logins: number } {
  const numbers = new Set(keys.flatMap((key) => costs.checks[key] ?? []))
  return {
    requests: keys.length === 0 ? 0 : costs.beforehand + numbers.size,
    logins: costs.logins.filter((number) => numbers.has(number)).length,
  }
}
