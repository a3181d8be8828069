import { type Part, partsOfPartnerApi } from '../target/parts.ts'
import type { Effect } from '../target/profiles.ts'
import type { FixtureSet } from './fixture-set.ts'
import { type CheckBase, type CheckContext, fixtures as coreFixtures } from './fixtures.ts'
import type { Host, Requirement } from './requirement.ts'

export interface CatalogueRequirement extends Requirement {
  readonly id: string
  readonly area: string
}

const partnerApiNeeds: ReadonlySet<Part> = new Set([...partsOfPartnerApi, 'unentitledPartner'])

export interface CheckOptions {
  /** Effects on the target; the profile must allow all of them. */
  readonly effects?: readonly Effect[]
  /** Effects without which the check runs, but may be inconclusive. */
  readonly optionalEffects?: readonly Effect[]
  /** The configuration that the check needs to be applicable. */
  readonly needs?: readonly Part[]
  /** The check runs after all others: it judges all requests of the run, or waits until a token expires. */
  readonly runsLast?: boolean
  /** The check also judges requests of other checks; if it runs alone, there are fewer. */
  readonly judgesRun?: boolean
  /** What a `slow` check waits for, if CODE_LIFETIME or LONGEST_LIFETIME limits the wait. */
  readonly waitsFor?: 'code' | 'access-token'
  /** The check judges the throttled responses of a run; runs of probes execute it, too. */
  readonly judgesThrottling?: boolean
  /** Position of its file in a run; by default the position of its area. */
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
  /** Other areas whose requests are judged by its checks with `judgesRun`. */
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

/** Begins the reason of a `client` requirement with why it has no check. The rest describes what Plumbline does. */
function withClientReason(requirement: Requirement): Requirement {
  const { level, reason } = requirement
  return level === 'client' && reason !== undefined
    ? { ...requirement, reason: `Binds partners, not the target. ${reason}` }
    : requirement
}

/**
 * Defines the requirements of one area.
 * @param fixtures the fixtures of its checks
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
  const check = (id: string, name: string, second: CheckOptions | CheckBody, third?: CheckBody) => {
    const options = typeof second === 'function' ? {} : second
    const body = typeof second === 'function' ? second : third
    if (!body) throw new Error(`the check of ${id} has no body`)
    catalogue.checks.push({ ...options, requirement: id, area: area.name, name, fixtures, body })
  }
  return { check }
}
