import type { Cause } from '../check/verdict.ts'
import type { ReleaseDecision } from '../release/decision.ts'
import { neededCommand } from '../release/text.ts'
import { inconclusiveByCause } from '../results/inconclusive.ts'
import type { RunResults } from '../results/results.ts'
import { type NextStep, runCommand } from '../results/run-command.ts'
import { remedies, remedyCommand } from './remedy.ts'

/** Causes that must be removed before another run can decide more. */
const causesToRemove: readonly Cause[] = ['configuration', 'throttled', 'harness']

/**
 * What to do after a decision against the release. Empty for an unsuitable run: the decision names the needed run.
 * @param runArgument the argument of commands that selects the run
 */
export function nextSteps(
  results: RunResults,
  decision: ReleaseDecision,
  runArgument: string = decision.run.id,
): NextStep[] {
  const { release, findings, policy, run } = decision
  if (release || findings.some(({ subject }) => subject === 'run')) return []
  const blocking = findings.filter(({ effect }) => effect !== 'noted')
  const isViolated = blocking.some(({ effect }) => effect === 'violated')
  const lacksCoverage = blocking.some(({ subject }) => subject === 'coverage')
  const blockingIds = blocking.flatMap(({ subject, requirement }) =>
    subject === 'requirement' ? (requirement ?? []) : [],
  )
  const remedySteps = inconclusiveByCause(results).flatMap(({ cause, reasons, variables }): NextStep[] => {
    const isBlocking = reasons.some(({ ids }) => ids.some((id) => blockingIds.includes(id)))
    if (!isBlocking || !causesToRemove.includes(cause)) return []
    const command = cause === 'configuration' ? remedyCommand(cause, results, variables) : undefined
    return [{ text: remedies[cause], ...(command !== undefined && { command }) }]
  })
  const when = isViolated ? 'When the violations are fixed, check again:' : 'Check again:'
  const again = {
    text: remedySteps.length > 0 ? 'Then check again:' : when,
    command: neededCommand(policy, run),
  }
  const report = `npx plumbline report ${runArgument} --open`
  return [
    ...(isViolated
      ? [{ text: 'Read the violations with their requests and responses:', command: report }]
      : []),
    ...remedySteps,
    ...(lacksCoverage && blockingIds.length === 0
      ? [
          {
            text: 'See which checks would not run, and what turns them on:',
            command: runCommand('plan', run),
          },
        ]
      : []),
    ...(blocking.every(({ subject }) => subject === 'waiver') ? [] : [again]),
    ...(isViolated ? [{ text: 'To accept a violation for some time, add a waiver (docs/gating.md).' }] : []),
  ]
}
