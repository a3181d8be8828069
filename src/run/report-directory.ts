import { readEnvironment, targetNameFrom } from '../target/environment.ts'
import type { TargetOptions } from './chosen-target.ts'

/** REPORT_DIR, for commands that only read runs. */
export function reportDirectory({ target, out }: TargetOptions = {}): string {
  if (out !== undefined) return out
  const name = targetNameFrom(target)
  return readEnvironment(name).REPORT_DIR ?? 'reports'
}
