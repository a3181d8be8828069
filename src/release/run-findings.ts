import type { RunResults } from '../results/results.ts'
import type { Finding } from './decision.ts'
import type { Policy } from './policy.ts'
import { age } from './words.ts'

/** How far clocks of two machines may differ, in milliseconds. */
const clockTolerance = 5 * 60_000

/** Why a run cannot be the one that the policy asks about. */
export function runFindings(run: RunResults['run'], policy: Policy, now: Date): Finding[] {
  const findings: Finding[] = []
  const unfit = (text: string) =>
    findings.push({ effect: 'undecided', subject: 'run', requirement: null, text })
  if (run.target !== policy.target)
    unfit(`the run is of ${run.target}, and the policy asks for ${policy.target}`)
  if (run.kind !== policy.kind)
    unfit(`the run is a ${run.kind} run, and the policy asks for a ${policy.kind} run`)
  if (!run.completed) unfit('the run was cut off before its end')
  const ageMs = now.getTime() - Date.parse(run.finishedAt ?? run.startedAt)
  const mostMs = policy.maximumAgeHours * 3_600_000
  if (ageMs > mostMs) unfit(`the run ended ${age(ageMs)} ago, and the policy allows ${age(mostMs)}`)
  if (ageMs < -clockTolerance) unfit(`the run ended in ${age(-ageMs)} from now, so a clock is wrong`)
  const { only, areas } = run.selection
  if (only.length > 0) unfit(`the run looked at ${only.join(', ')} only`)
  const missing = policy.areas?.filter((area) => !areas.includes(area))
  if (areas.length > 0 && (missing === undefined || missing.length > 0))
    unfit(`the run looked at the area ${areas.join(', ')} only`)
  return findings
}
