import type { WorkloadOptions } from '../../../load/workload.ts'
import type { TargetOptions } from '../../run/chosen-target.ts'

/** Options of `plumbline probe`, unparsed. */
export interface ProbeCommandOptions extends TargetOptions, WorkloadOptions {
  readonly dryRun?: boolean
  /** The run with the limiter, or true for the latest. */
  readonly whatIf?: true | string
  readonly export?: string
  readonly workers?: string
  readonly seconds?: string
  readonly import?: readonly string[]
}
