import { offByDefault } from '../check/applicability.ts'
import { type Effect, effectExamples, optionalEffects } from '../target/profiles.ts'
import { counted, listText } from '../text/format.ts'
import { notCheckedByReason } from './not-checked.ts'
import type { RunResults } from './results.ts'
import { type NextStep, runCommand } from './run-command.ts'
import { isInScope, type Scope, scopeText } from './scope.ts'

/**
 * States which requirements a run did not check because their effects are off by default: `32 requirements of level
 * must are off by default on uat: token-destruction (17, such as single use of codes), …`. The command repeats the run
 * with these effects.
 * @param scope the requirements that count
 * @param options options with which the command selects the same requirements as the run
 * @returns undefined if there is no such requirement, or if the run is a probe run
 */
export function effectsOff(
  { run, requirements }: RunResults,
  scope: Scope,
  options = '',
): Required<NextStep> | undefined {
  if (run.kind !== 'check') return undefined
  const byEffect = new Map<Effect, number>()
  for (const { effect, ids } of notCheckedByReason(requirements.filter((one) => isInScope(one, scope))))
    if (effect !== undefined) byEffect.set(effect, (byEffect.get(effect) ?? 0) + ids.length)
  if (byEffect.size === 0) return undefined
  const mostFrequentFirst = [...byEffect].sort(([, one], [, other]) => other - one)
  const count = mostFrequentFirst.reduce((sum, [, ofEffect]) => sum + ofEffect, 0)
  const parts = mostFrequentFirst.map(
    ([effect, ofEffect]) => `${effect} (${ofEffect}, such as ${effectExamples[effect]})`,
  )
  const enabledBefore = run.enabled ?? []
  const enabled = optionalEffects.filter((effect) => byEffect.has(effect) || enabledBefore.includes(effect))
  const already =
    enabledBefore.length === 0
      ? ''
      : ` (${listText(enabledBefore)} ${enabledBefore.length === 1 ? 'was' : 'were'} already enabled in this run)`
  const [are, these] = count === 1 ? ['is', 'this requirement'] : ['are', 'these requirements']
  const effects = byEffect.size === 1 ? 'this effect' : 'these effects'
  return {
    text: `${counted(count, 'requirement')} of ${scopeText(scope)} ${are} ${offByDefault(run.target)}: ${parts.join(', ')}. If the operator permits ${effects}, this command also checks ${these}${already}:`,
    command: runCommand('check', { ...run, enabled }, options),
  }
}
