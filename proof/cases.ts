import { type Fault, faults, type Variant, variants } from '../provider/index.ts'
import type { CheckDefinition } from '../src/check/catalogue.ts'
import { loadSuites, type SuiteCheck } from '../src/check/suites.ts'
import type { Effect } from '../src/target/profiles.ts'

/** The checks that a case executes, unless it executes all. */
interface Scope {
  /** All checks of these requirements are executed. */
  readonly named: readonly string[]
  /** All checks of these areas are executed too, but none with an effect in `unneeded`. */
  readonly areas: readonly string[] | 'all'
  /** Effects that the case does not need. Checks with one of them are executed only for `named`. */
  readonly unneeded: readonly Effect[]
}

/** A proof run: the provider with at most one fault or variant, checked like any target. */
export interface Case {
  readonly kind: 'clean' | 'fault' | 'variant'
  readonly name: string
  /** The part of the service that is altered. */
  readonly surface: Fault['surface']
  readonly scope: Scope | 'all'
  /** Effects that the run enables, such as `planned,slow`. */
  readonly enable: string
  /** Whether a browser signs in. */
  readonly needsBrowser: boolean
  /** Whether the run mostly waits: for a limiter, for repeated failures, or for an expiry. */
  readonly mostlyWaits: boolean
}

/** The result of a proof run, by requirement. */
export interface CaseResult {
  readonly case: Case
  readonly failed: readonly string[]
  readonly inconclusive: readonly string[]
  /** `REQUIREMENT: reason` of each check that crashed, which is always a defect of Plumbline. */
  readonly defects: readonly string[]
  readonly passed: readonly string[]
  /** Why requirements failed or are inconclusive, by id. */
  readonly reasons: Readonly<Record<string, string>>
  readonly wallMs: number
  readonly requests: number
  readonly logins: number
}

/**
 * The areas that a change to each surface can affect. Checks of other areas would only repeat the clean run. `--full`
 * verifies this table: it runs every check for every case, except cases with a rate limit.
 */
const areasOfSurface: Readonly<Record<Fault['surface'], readonly string[] | 'all'>> = {
  discovery: ['discovery', 'key-set'],
  'key-set': ['key-set', 'id-token'],
  authorization: ['authorization', 'platform'],
  'authorization-request': ['authorization', 'platform'],
  token: ['token', 'id-token'],
  jwt: ['id-token', 'key-set', 'userinfo'],
  userinfo: ['userinfo'],
  introspection: ['introspection'],
  hub: ['event-search', 'events', 'platform'],
  webhooks: ['webhook-subscriptions', 'webhook-delivery'],
  all: 'all',
}

/** The surface of a fault or a variant; `hub` for a faulty limiter, because searches need no browser to reach it. */
function surfaceOf(alteration: Fault | Variant): Fault['surface'] {
  return 'violates' in alteration && alteration.limit ? 'hub' : alteration.surface
}

/** The checks that a fault or a variant can affect. */
function scopeOf(
  alteration: Fault | Variant,
  surface: Fault['surface'],
  checks: readonly SuiteCheck[],
): Scope {
  const named =
    'violates' in alteration
      ? [...alteration.violates, ...(alteration.consequences ?? [])]
      : [...alteration.concerns, ...(alteration.mustBeInconclusive ?? []), ...(alteration.mustPass ?? [])]
  const areaOf = (id: string) => checks.find(({ requirement }) => requirement === id)?.area
  // The management of subscriptions and the deliveries do not affect each other, so only areas of `named` matter.
  const areas = surface === 'webhooks' ? named.flatMap((id) => areaOf(id) ?? []) : areasOfSurface[surface]
  return { named, areas, unneeded: unneededFor(surface, areas) }
}

/**
 * Effects that a case does not need: logins and claim changes if no user is involved, and `slow` for webhooks, because
 * slow webhook checks delay all other checks.
 */
function unneededFor(surface: Fault['surface'], areas: Scope['areas']): readonly Effect[] {
  if (surface === 'hub') return ['login', 'claim-change']
  if (surface !== 'webhooks') return []
  return areas.includes('webhook-delivery') ? ['slow'] : ['slow', 'login']
}

/** Whether a case executes a check. */
export function executes(
  { scope }: Pick<Case, 'scope'>,
  { requirement, area, effects }: CheckDefinition,
): boolean {
  if (scope === 'all') return true
  const { named, areas, unneeded } = scope
  if (named.includes(requirement)) return true
  return (areas === 'all' || areas.includes(area)) && !effects?.some((effect) => unneeded.includes(effect))
}

/** The effects that a case enables. For webhooks, it enables `slow` only if its scope contains slow checks. */
function enabledFor(surface: Fault['surface'], scope: Scope, checks: readonly SuiteCheck[]): string {
  if (surface !== 'webhooks') return 'slow'
  const executesSlow = checks.some((check) => executes({ scope }, check) && check.effects?.includes('slow'))
  return executesSlow ? 'planned,slow' : 'planned'
}

/** Whether a case can change pages, or the navigation to or from them. Otherwise only the final redirect matters. */
function needsBrowser(
  { surface, pages }: Pick<Case, 'surface'> & Pick<Fault, 'pages'>,
  scope: Scope,
  checks: readonly SuiteCheck[],
): boolean {
  if (pages || surface === 'authorization' || surface === 'all') return true
  if (surface === 'authorization-request') return false
  return checks.some((check) => check.area === 'authorization' && executes({ scope }, check))
}

/** All proof runs: the clean provider, all variants and all faults. */
export async function allCases({ full }: { readonly full: boolean }): Promise<Case[]> {
  const { checks } = await loadSuites()
  const caseOf = (kind: 'fault' | 'variant') => (alteration: Fault | Variant) => {
    const surface = surfaceOf(alteration)
    const { name, pages, limit, proofWaits } = alteration
    const scope = scopeOf(alteration, surface, checks)
    const namesSlow = checks.some(
      ({ requirement, effects }) => scope.named.includes(requirement) && effects?.includes('slow'),
    )
    return {
      kind,
      name,
      surface,
      // With a limit, all checks together would wait for the limiter.
      scope: full && !limit ? ('all' as const) : scope,
      enable: enabledFor(surface, scope, checks),
      needsBrowser: full || needsBrowser({ surface, ...(pages && { pages }) }, scope, checks),
      mostlyWaits: namesSlow || proofWaits === true || limit !== undefined || surface === 'all',
    }
  }
  return [
    {
      kind: 'clean',
      name: 'clean',
      surface: 'all',
      scope: 'all',
      enable: 'slow',
      needsBrowser: true,
      mostlyWaits: true,
    },
    ...variants.map(caseOf('variant')),
    ...faults.map(caseOf('fault')),
  ]
}
