import type { Effect } from '../target/effects.ts'
import type { CheckContext } from './context.ts'
import type { Requirement } from './requirement.ts'

export interface CatalogueRequirement extends Requirement {
  readonly id: string
  readonly area: string
}

/** Parts of a target's configuration that a check may need; each with the variables that bring it. */
export const needs = {
  user: 'TEST_USER and TEST_PASSWORD',
  secondApplication: 'SECOND_CLIENT_ID and SECOND_CLIENT_SECRET',
  unentitledPartner: 'UNENTITLED_CLIENT_ID and UNENTITLED_CLIENT_SECRET',
  requiredAcr: 'REQUIRED_ACR',
  webhookReceiver:
    'WEBHOOK_RECEIVER_URL (a public https: address whose requests reach this machine, see docs/webhooks.md)',
  claimRecipe:
    'CLAIM_RECIPE (a recipe for the page on which the test user changes a claim, see docs/claim-change.md)',
} as const

export type Need = keyof typeof needs

export interface CheckOptions {
  /** What the check does to the target; the profile must allow all of it. */
  readonly effects?: readonly Effect[]
  /** Configuration without which it is not applicable. */
  readonly needs?: readonly Need[]
  /** Judges what the run has met, so its file comes after all others. */
  readonly looksBack?: boolean
}

export interface CheckDefinition extends CheckOptions {
  readonly requirement: string
  readonly area: string
  readonly name: string
  readonly run: (context: CheckContext) => Promise<void>
}

/** One area of the specification: a folder of suites. */
export interface Area {
  readonly name: string
  readonly title: string
  /** Position in a run and in reports, from 1. */
  readonly order: number
  /** Host that its checks cannot do without. */
  readonly host: 'identity-provider' | 'partner-api'
}

/** All areas, requirements and checks that suites have defined in this process. */
class Catalogue {
  readonly areas = new Map<string, Area>()
  readonly requirements = new Map<string, CatalogueRequirement>()
  readonly checks: CheckDefinition[] = []
}

export const catalogue = new Catalogue()

type CheckListener = (definition: CheckDefinition) => void
let listener: CheckListener | undefined

/** Makes every check defined from now on known to a test runner as well. */
export function onCheck(listen: CheckListener): void {
  listener = listen
}

export type DefineCheck<Id extends string> = {
  (id: Id, name: string, run: CheckDefinition['run']): void
  (id: Id, name: string, options: CheckOptions, run: CheckDefinition['run']): void
}

/**
 * Defines the requirements of one area.
 * @returns `check`, which defines a check of one of them; other ids do not compile
 */
export function defineArea<const Id extends string>(
  area: Area,
  requirements: Readonly<Record<Id, Requirement>>,
): { readonly check: DefineCheck<Id>; readonly requirements: Readonly<Record<Id, Requirement>> } {
  catalogue.areas.set(area.name, area)
  for (const [id, requirement] of Object.entries<Requirement>(requirements)) {
    const known = catalogue.requirements.get(id)
    if (known && known.area !== area.name)
      throw new Error(`requirement ${id} is defined in ${known.area} and in ${area.name}`)
    catalogue.requirements.set(id, { id, area: area.name, ...requirement })
  }
  const check: DefineCheck<Id> = (
    id: Id,
    name: string,
    second: CheckOptions | CheckDefinition['run'],
    third?: CheckDefinition['run'],
  ) => {
    const options = typeof second === 'function' ? {} : second
    const run = typeof second === 'function' ? second : third
    if (!run) throw new Error(`the check of ${id} has no body`)
    const definition: CheckDefinition = { ...options, requirement: id, area: area.name, name, run }
    catalogue.checks.push(definition)
    listener?.(definition)
  }
  return { check, requirements }
}
