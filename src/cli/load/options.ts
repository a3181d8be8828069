import type { WorkloadOptions } from '../../../load/workload.ts'
import type { TargetOptions } from '../../run/chosen-target.ts'

/** Options of `plumbline probe`, as they were typed. */
export interface ProbeCommandOptions extends TargetOptions, WorkloadOptions {
  readonly dryRun?: boolean
  /** True, or the run whose limiter is meant. */
  readonly whatIf?: true | string
  readonly export?: string
  readonly workers?: string
  readonly seconds?: string
  readonly import?: readonly string[]
}
