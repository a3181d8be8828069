import { type Part, partsOfPartnerApi } from '../target/parts.ts'
import type { Effect } from '../target/profiles.ts'
import type { FixtureSet } from './fixture-set.ts'
import { type CheckBase, type CheckContext, fixtures as coreFixtures } from './fixtures.ts'
import type { Host, Requirement } from './requirement.ts'

/** A requirement that a suite has defined, with its id and area. */
export interface CatalogueRequirement extends Requirement {
  readonly id: string
  readonly area: string
}

/** A check that needs one of these parts of the configuration sends requests to the partner API. */
const partnerApiNeeds: ReadonlySet<Part> = new Set([...partsOfPartnerApi, 'unentitledPartner'])

export interface CheckOptions {
  /** Effects on the target. The check runs only if the profile or ENABLE allows all of them. */
  readonly effects?: readonly Effect[]
  /** Effects that the check causes if they are allowed. Without them, it still runs, but may be inconclusive. */
  readonly optionalEffects?: readonly Effect[]
  /** The configuration that the check needs to be applicable. */
  readonly needs?: readonly Part[]
  /** The check runs after all others: it judges all requests of the run, or waits until a token expires. */
  readonly runsLast?: boolean
  /** The check also judges requests of other checks: if it runs alone, it may have too few requests for a verdict. */
  readonly judgesRun?: boolean
  /**
   * What a check with the effect `slow` waits for: until a code is CODE_LIFETIME old, or until an access token expires,
   * at most LONGEST_LIFETIME. Absent if the check waits for something else.
   */
  readonly waitsFor?: 'code' | 'access-token'
  /** The check judges the throttled responses of a run. Runs of probes, which are load tests, execute it too. */
  readonly judgesThrottling?: boolean
  /** Position of the check's file in a run; by default the position of its area: see `turns` in check-options.ts. */
  readonly turn?: number
}

export interface CheckDefinition extends CheckOptions {
  readonly requirement: string
  readonly area: string
  readonly name: string
  readonly fixtures: FixtureSet<CheckBase, CheckBase>
  readonly body: CheckBody
}

export type CheckBody<Context = never> = (context: Context) => Promise<void>

/** One area of the specification: a folder of suites. */
interface Area {
  readonly name: string
  readonly title: string
  /** Position in reports, from 1. */
  readonly order: number
  /** Position in a run; `order` by default. Checks that most users need run first, in case the budget runs out. */
  readonly turn?: number
  /** The host that its checks require. */
  readonly host: Host
  /** Configuration that all of its checks need, besides the address of the host. */
  readonly needs?: readonly Part[]
  /** Other areas whose requests the checks of this area judge, if they have `judgesRun`. */
  readonly judges?: readonly string[]
}

/** All areas, requirements and checks that suites have defined in this process. */
export const catalogue = {
  areas: new Map<string, Area>(),
  requirements: new Map<string, CatalogueRequirement>(),
  checks: [] as CheckDefinition[],
}

export function hostOf(area: string): Host {
  return catalogue.areas.get(area)?.host ?? 'identity-provider'
}

/**
 * The hosts to which a check sends requests: the host of its area, the partner API if it needs a partner, and the
 * identity provider if it signs in.
 */
export function hostsOf({
  area,
  needs: own = [],
  effects = [],
}: Pick<CheckDefinition, 'area' | 'needs' | 'effects'>): Host[] {
  const partnerApi = own.some((need) => partnerApiNeeds.has(need)) ? (['partner-api'] as const) : []
  const identityProvider = effects.includes('login') ? (['identity-provider'] as const) : []
  return [...new Set([hostOf(area), ...partnerApi, ...identityProvider])]
}

/** The areas whose requests a check judges; undefined if it judges its own requests alone. */
export function judgedAreasOf({
  area,
  judgesRun,
}: Pick<CheckDefinition, 'area' | 'judgesRun'>): readonly string[] | undefined {
  return judgesRun ? [area, ...(catalogue.areas.get(area)?.judges ?? [])] : undefined
}

type DefineCheck<Id extends string, Context = CheckContext> = {
  (id: Id, name: string, body: CheckBody<Context>): void
  (id: Id, name: string, options: CheckOptions, body: CheckBody<Context>): void
}

/**
 * Completes the reason why a `client` requirement has no check: it binds partners. The suite states only how
 * Plumbline itself, as a partner, fulfils the requirement.
 */
function withClientReason(requirement: Requirement): Requirement {
  const { level, reason } = requirement
  return level === 'client' && reason !== undefined
    ? { ...requirement, reason: `Binds partners, not the target. ${reason}` }
    : requirement
}

/**
 * Defines the requirements of one area.
 * @param fixtures the fixtures of the area's checks
 * @returns `check`, which defines a check of one of these requirements; other ids do not compile
 */
export function defineArea<Id extends string, Context extends CheckBase = CheckContext>(
  area: Area,
  requirements: Readonly<Record<Id, Requirement>>,
  fixtures: FixtureSet<CheckBase, Context> | typeof coreFixtures = coreFixtures,
): { readonly check: DefineCheck<Id, Context> } {
  catalogue.areas.set(area.name, area)
  for (const [id, requirement] of Object.entries<Requirement>(requirements)) {
    const known = catalogue.requirements.get(id)
    if (known && known.area !== area.name)
      throw new Error(`requirement ${id} is defined in ${known.area} and in ${area.name}`)
    catalogue.requirements.set(id, { id, area: area.name, ...withClientReason(requirement) })
  }
  const check = (id: string, name: string, optionsOrBody: CheckOptions | CheckBody, lastBody?: CheckBody) => {
    const options = typeof optionsOrBody === 'function' ? {} : optionsOrBody
    const body = typeof optionsOrBody === 'function' ? optionsOrBody : lastBody
    if (!body) throw new Error(`the check of ${id} has no body`)
    catalogue.checks.push({ ...options, requirement: id, area: area.name, name, fixtures, body })
  }
  return { check }
}
