import type { Fault } from '../behaviour.ts'

export const faults: readonly Fault[] = []
