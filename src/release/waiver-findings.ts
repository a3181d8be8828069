import type { RunResults } from '../results/results.ts'
import { nearName } from '../text/near-name.ts'
import type { Finding } from './decision.ts'
import type { Policy } from './policy.ts'
import { hasExpired, type Waiver } from './waivers.ts'

/** What is wrong with waivers, so that the list does not rot: see docs/gating.md for what blocks. */
export function waiverFindings(given: {
  readonly waivers: readonly Waiver[]
  /** Those for the target of the run. */
  readonly here: readonly Waiver[]
  readonly results: RunResults
  readonly policy: Policy
  readonly known: readonly string[]
  readonly now: Date
}): Finding[] {
  const { waivers, here, results, policy, known, now } = given
  const effect = policy.waiverFindings === 'block' ? 'undecided' : 'noted'
  const verdicts = new Map(results.requirements.map(({ id, verdict }) => [id, verdict]))
  const finding = (waiver: Waiver, text: string, how: Finding['effect'] = effect): Finding => ({
    effect: how,
    subject: 'waiver',
    requirement: waiver.requirement,
    text: `the waiver of ${waiver.requirement} ${text}`,
  })
  const isKnown = ({ requirement }: Waiver) => known.includes(requirement) || verdicts.has(requirement)
  const unknown = waivers
    .filter((waiver) => !isKnown(waiver))
    .map((waiver) =>
      finding(waiver, `matches nothing: there is no such requirement; ${nearest(waiver, known)}`),
    )
  const stale = here.filter(isKnown).flatMap((waiver) => {
    const verdict = verdicts.get(waiver.requirement)
    if (hasExpired(waiver, now))
      return finding(waiver, `expired on ${waiver.expires}: mend the requirement, or ask ${waiver.owner}`)
    if (verdict === undefined)
      return finding(waiver, 'matches nothing: this run did not look at the requirement')
    if (verdict === 'pass' || verdict === 'observed')
      return finding(waiver, 'is not needed any more: the requirement holds')
    if (verdict === 'not-applicable')
      return finding(waiver, 'was not needed: the requirement did not apply in this run', 'noted')
    return []
  })
  return [...unknown, ...stale]
}

function nearest({ requirement }: Waiver, known: readonly string[]): string {
  const near = nearName(requirement, known)
  return near === undefined ? 'plumbline list names them all' : `the nearest is ${near}`
}
