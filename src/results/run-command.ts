import { enabling } from '../target/profiles.ts'
import type { RunResults } from './results.ts'

/** What to do, and the command for it, if there is one. */
export interface NextStep {
  readonly text: string
  readonly command?: string
}

/**
 * A command that checks the target of a run again, or prepares such a check. The command allows the same effects as the
 * run, because without them the new run might miss violations.
 * @param options with a leading space; may be empty
 */
export function runCommand(
  command: 'check' | 'plan' | 'doctor',
  { target, enabled = [] }: Pick<RunResults['run'], 'target' | 'enabled'>,
  options = '',
): string {
  return `${enabling(enabled)}npx plumbline ${command} --target ${target}${options}`
}
