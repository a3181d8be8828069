import { neverAllowed, offByDefault } from '../check/applicability.ts'
import { type Effect, profiles, type TargetName } from '../target/profiles.ts'

interface WithEffects {
  readonly requirement: string
  readonly effects?: readonly Effect[]
  readonly optionalEffects?: readonly Effect[]
}

/** The effects of a check that a target does not allow by default. ENABLE cannot allow the `forbidden` effects. */
export function effectsOffOn({ effects = [] }: WithEffects, target: TargetName) {
  const { allowed, mayEnable } = profiles[target]
  const off = effects.filter((effect) => !allowed.includes(effect))
  // In the order of the profile, as in the commands of reports.
  const enable = mayEnable.filter((effect) => off.includes(effect))
  return { enable, forbidden: off.filter((effect) => !mayEnable.some((one) => one === effect)) }
}

/** `off by default on uat (ENABLE=slow turns it on), never allowed on production`; empty if both allow the check. */
export function whereOffText(check: WithEffects): string {
  return (['uat', 'production'] as const)
    .flatMap((target) => {
      const { enable, forbidden } = effectsOffOn(check, target)
      if (forbidden.length > 0) return [neverAllowed(target)]
      return enable.length > 0 ? [`${offByDefault(target)} (ENABLE=${enable.join()} turns it on)`] : []
    })
    .join(', ')
}

/**
 * The fewest effects that ENABLE must allow, so that a target checks the requirements. `never` lists requirements that
 * the target does not check with any effects.
 */
export function neededEffects(
  requirements: readonly string[],
  checks: readonly WithEffects[],
  target: TargetName,
): { readonly enable: readonly Effect[]; readonly never: readonly string[] } {
  const enable = new Set<Effect>()
  const never: string[] = []
  for (const id of requirements) {
    const needs = checks
      .filter(({ requirement }) => requirement === id)
      .map(({ effects = [], optionalEffects = [], ...check }) =>
        effectsOffOn({ ...check, effects: [...effects, ...optionalEffects] }, target),
      )
    const possible = needs.filter(({ forbidden }) => forbidden.length === 0)
    const least = possible.toSorted((one, other) => one.enable.length - other.enable.length)[0]
    if (least === undefined && needs.length > 0) never.push(id)
    for (const effect of least?.enable ?? []) enable.add(effect)
  }
  return { enable: [...enable], never }
}
