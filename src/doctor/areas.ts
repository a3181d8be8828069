import { applies, isConfigured } from '../check/applicability.ts'
import { catalogue, hostOf } from '../check/catalogue.ts'
import type { Host } from '../check/requirement.ts'
import { loadSuites } from '../check/suites.ts'
import { neededBy } from '../target/config.ts'
import {
  missingVariables,
  partsOfPartnerApi,
  type RequiredPart,
  requiredParts,
  variablesOf,
} from '../target/parts.ts'
import type { TargetName } from '../target/profiles.ts'
import type { Target } from '../target/target.ts'
import type { VariableName } from '../target/variables.ts'
import type { Sources } from './configuration.ts'

/**
 * The parts of a target that the doctor requires, for `targetFrom`. They depend on the variables that are set:
 * - a variable of the application: the issuer and the application
 * - IDP_BASE_URL, but none of the application: the issuer
 * - only variables of the partner API: no part
 * - none of these: the issuer and the application
 */
export function partsToRequire(sources: Sources, target: TargetName): ReadonlyMap<RequiredPart, string> {
  return neededBy(target, begun(sources))
}

function begun(sources: Sources): readonly RequiredPart[] {
  const isAnySet = (names: readonly VariableName[]) => names.some((name) => sources.has(name))
  if (isAnySet(variablesOf.application)) return requiredParts
  if (isAnySet(variablesOf.issuer)) return ['issuer']
  return isAnySet(['PARTNER_API_URL', 'PARTNER_CLIENT_ID']) ? [] : requiredParts
}

export interface Gap {
  /** Variables that are not set. */
  readonly variables: readonly string[]
  /** One sentence, with the areas that are not judged without these variables. */
  readonly what: string
}

/** The variables that areas of a host lack; undefined if every area of the host can be judged. */
export async function gapOf(target: Target, host: Host): Promise<Gap | undefined> {
  const variables = missingVariables(target, host === 'partner-api' ? partsOfPartnerApi : requiredParts)
  if (variables.length === 0) return undefined
  const areas = (await allAreas()).filter((area) => hostOf(area) === host && !isConfigured(area, target))
  const are = variables.length === 1 ? 'is' : 'are'
  return {
    variables,
    what: `${variables.join(', ')} ${are} not set, so these areas are not judged: ${areas.join(', ')}`,
  }
}

/** The areas with checks that can run on the target. */
export async function judgedAreas(target: Target): Promise<string[]> {
  const { checks } = await loadSuites()
  const canRun = checks.filter((check) => applies(check, target))
  const judged = new Set(canRun.map(({ area }) => area))
  return (await allAreas()).filter((area) => judged.has(area))
}

async function allAreas(): Promise<string[]> {
  await loadSuites()
  return [...catalogue.areas.values()].sort((one, other) => one.order - other.order).map(({ name }) => name)
}
