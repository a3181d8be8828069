import { effects } from '../target/effects.ts'
import { profiles } from '../target/profiles.ts'
import type { Target } from '../target/target.ts'
import { type CheckDefinition, hostOf, needs } from './catalogue.ts'

/** The configuration that every check of a partner API area needs. */
const partnerApi = ['partnerApiUrl', 'partner'] as const

/** Why a check may not or cannot run on a target, and what enables it; undefined if it can run. */
export function reasonNotApplicable(definition: CheckDefinition, target: Target): string | undefined {
  const forbidden = definition.effects?.find((effect) => !target.allowedEffects.includes(effect))
  const ofHost = hostOf(definition.area) === 'partner-api' ? partnerApi : []
  const missing = [...ofHost, ...(definition.needs ?? [])].find((need) => target[need] === undefined)
  // Checks of unavailable features need no configuration.
  if (missing && forbidden !== 'planned') return `needs ${needs[missing]} to be set`
  if (forbidden === undefined) return undefined
  const enabling = profiles[target.name].mayEnable.some((effect) => effect === forbidden)
    ? `; ENABLE=${forbidden} allows it`
    : ''
  return `not allowed on ${target.name}: it ${effects[forbidden]}${enabling}`
}
