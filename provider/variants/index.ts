import type { Variant } from '../behaviour.ts'

export const variants: readonly Variant[] = []
