import { type Fault, faults, type Variant, variants } from '../provider/index.ts'
import { loadSuites, type SuiteCheck } from '../src/check/suites.ts'

/** One proof run: the provider with at most one fault or variant, checked as a user would check it. */
export interface Case {
  readonly kind: 'clean' | 'fault' | 'variant'
  readonly name: string
  /** Requirements whose checks run; empty means all. */
  readonly only: readonly string[]
  /** Effects that are enabled for it. */
  readonly enable: string
}

/** What a proof run found, by requirement. */
export interface CaseResult {
  readonly case: Case
  readonly failed: readonly string[]
  readonly undecided: readonly string[]
  /** Sentences of checks that broke instead of deciding: defects of the harness, whatever the case. */
  readonly defects: readonly string[]
  readonly passed: readonly string[]
  readonly wallMs: number
  readonly requests: number
  readonly logins: number
}

/**
 * Where a change to one part of the service can show, beside the requirements that it names. Checks that never talk
 * to the part would only repeat the clean run, and leaving them out is what lets hundreds of proof runs fit into a
 * few minutes. `--full` runs every check for every case, which proves this table itself.
 */
const areasOfSurface: Readonly<Record<Fault['surface'], readonly string[] | 'all'>> = {
  discovery: ['discovery', 'key-set'],
  'key-set': ['key-set', 'id-token'],
  authorization: ['authorization', 'platform'],
  token: ['token', 'id-token'],
  jwt: ['id-token', 'key-set', 'userinfo'],
  userinfo: ['userinfo'],
  introspection: ['introspection'],
  hub: ['event-search', 'events', 'platform'],
  webhooks: ['webhook-subscriptions', 'webhook-delivery'],
  all: 'all',
}

/** The requirements whose checks say something about a fault or a variant. */
function requirementsFor(alteration: Fault | Variant, checks: readonly SuiteCheck[]): string[] {
  const named =
    'violates' in alteration
      ? [...alteration.violates, ...(alteration.consequences ?? [])]
      : [...alteration.concerns, ...(alteration.undecidable ?? []), ...(alteration.decided ?? [])]
  // A limiter that is at fault is met soonest where nothing waits for a browser.
  const surface = 'violates' in alteration && alteration.limit ? 'hub' : alteration.surface
  const areaOf = (id: string) =>
    checks.find(({ definition }) => definition.requirement === id)?.definition.area
  // Of webhooks, who manages subscriptions sees no deliveries, and the other way round.
  const areas = surface === 'webhooks' ? named.flatMap((id) => areaOf(id) ?? []) : areasOfSurface[surface]
  // The Event Hub knows no user, and deliveries that take seconds hold up all others: only a check that is meant
  // needs these.
  const unneeded = surface === 'hub' ? 'login' : surface === 'webhooks' ? 'slow' : undefined
  const seen = checks.filter(
    ({ definition: { area, effects } }) =>
      areas === 'all' || (areas.includes(area) && (unneeded === undefined || !effects?.includes(unneeded))),
  )
  return [...new Set([...named, ...seen.map(({ definition }) => definition.requirement)])]
}

/** Effects that are enabled for a fault or a variant: whoever is late is waited for only where that is in question. */
function enabledFor(
  { surface }: Fault | Variant,
  only: readonly string[],
  checks: readonly SuiteCheck[],
): string {
  if (surface !== 'webhooks') return 'slow'
  const waits = checks.some(
    ({ definition: { requirement, effects } }) => only.includes(requirement) && effects?.includes('slow'),
  )
  return waits ? 'planned,slow' : 'planned'
}

/** All proof runs: the clean provider, every variant, every fault. */
export async function allCases({ full }: { readonly full: boolean }): Promise<Case[]> {
  const { checks } = await loadSuites()
  const caseOf = (kind: 'fault' | 'variant') => (alteration: Fault | Variant) => {
    const only = requirementsFor(alteration, checks)
    return {
      kind,
      name: alteration.name,
      only: full && !alteration.limit ? [] : only,
      enable: enabledFor(alteration, only, checks),
    }
  }
  return [
    { kind: 'clean', name: 'clean', only: [], enable: 'slow' },
    ...variants.map(caseOf('variant')),
    ...faults.map(caseOf('fault')),
  ]
}
