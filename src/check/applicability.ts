import {
  type Part,
  partsOfPartnerApi,
  type RequiredPart,
  requiredParts,
  variablesOf,
} from '../target/parts.ts'
import { effects, profiles, type TargetName } from '../target/profiles.ts'
import type { Target } from '../target/target.ts'
import { listText } from '../text/format.ts'
import { type CheckDefinition, catalogue, hostOf, hostsOf } from './catalogue.ts'
import type { CheckResult } from './result.ts'

/** Parts of the configuration (sets of variables) that every request to a host needs. */
const needsOfHost = { 'identity-provider': ['issuer'], 'partner-api': partsOfPartnerApi } as const

interface NotApplicableReason extends Pick<CheckResult, 'advice' | 'missingEffect' | 'forbiddenEffect'> {
  readonly reason: string
}

/** What the variables of a part must be set to, for messages. Other variables explain themselves. */
const explanations: Partial<Record<Part, string>> = {
  webhookReceiver: 'a public https: address that forwards its requests to this machine, see docs/webhooks.md',
  claimRecipe: 'a recipe for the page on which the test user changes a claim, see docs/claim-change.md',
}

/** The variables of a part: `CLIENT_ID, CLIENT_SECRET and REDIRECT_URI`, with an explanation if there is one. */
function variablesText(part: Part): string {
  const names = listText(variablesOf[part])
  const explanation = explanations[part]
  return explanation === undefined ? names : `${names} (${explanation})`
}

/** Whether a target has the configuration that a check needs, and allows all effects of the check. */
export function applies(definition: CheckDefinition, target: Target): boolean {
  return reasonNotApplicable(definition, target) === undefined
}

/** Why a check cannot or must not run on a target; undefined if the check can run. */
export function reasonNotApplicable(
  definition: CheckDefinition,
  target: Target,
): NotApplicableReason | undefined {
  const disallowed = definition.effects?.find((effect) => !target.allowedEffects.includes(effect))
  const missing = needsOf(definition).find((need) => target[need] === undefined)
  // Without the effect `planned`, the reason is the effect, not missing configuration that only planned features
  // need.
  if (missing && disallowed !== 'planned')
    return { reason: `needs ${variablesText(missing)} to be set`, advice: null }
  if (definition.waitsFor === 'code' && target.codeLifetime > target.longestLifetime)
    return {
      reason: `needs a LONGEST_LIFETIME of at least CODE_LIFETIME, ${target.codeLifetime} s`,
      advice: null,
    }
  if (disallowed === undefined) return undefined
  const { name } = target
  const mayEnable = profiles[name].mayEnable.some((effect) => effect === disallowed)
  const reason = `${mayEnable ? offByDefault(name) : neverAllowed(name)}, because the check ${effects[disallowed]}`
  return mayEnable
    ? { reason, advice: `ENABLE=${disallowed} turns it on`, missingEffect: disallowed }
    : { reason, advice: null, forbiddenEffect: disallowed }
}

/** Why a check does not run, if ENABLE can allow its effect; the beginning of a reason. */
export function offByDefault(target: TargetName): string {
  return `off by default on ${target}`
}

/** Why a check does not run, if not even ENABLE can allow its effect; the beginning of a reason. */
export function neverAllowed(target: TargetName): string {
  return `never allowed on ${target}`
}

/**
 * Which of the `requiredParts` (issuer and application) these areas need, each with a phrase for messages: `the area
 * token needs` or `3 areas need`.
 */
export function requiredPartsOf(areas: readonly string[]): ReadonlyMap<RequiredPart, string> {
  const distinct = [...new Set(areas)]
  return new Map(
    requiredParts.flatMap((part) => {
      const needing = distinct.filter((area) => needsOfArea(area).includes(part))
      const text = needing.length === 1 ? `the area ${needing[0]} needs` : `${needing.length} areas need`
      return needing.length === 0 ? [] : [[part, text] as const]
    }),
  )
}

/** Whether a target has all parts that every check of an area needs. */
export function isConfigured(area: string, target: Target): boolean {
  return needsOfArea(area).every((need) => target[need] !== undefined)
}

function needsOf(definition: CheckDefinition): Part[] {
  const { area, effects, needs: own = [] } = definition
  const ofItsHosts = hostsOf(definition).flatMap((host) => needsOfHost[host])
  return [...needsOfArea(area), ...(effects?.includes('login') ? requiredParts : []), ...ofItsHosts, ...own]
}

function needsOfArea(area: string): Part[] {
  return [...needsOfHost[hostOf(area)], ...(catalogue.areas.get(area)?.needs ?? [])]
}
