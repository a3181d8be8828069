import type { Level } from '../check/requirement.ts'
import type { RequirementResult } from './results.ts'

/** The requirements that a policy covers. */
export interface Scope {
  readonly levels: readonly Level[]
  /** Absent for all areas. */
  readonly areas?: readonly string[]
}

export function isInScope(
  { level, area }: Pick<RequirementResult, 'level' | 'area'>,
  { levels, areas }: Scope,
): boolean {
  return levels.includes(level) && (areas?.includes(area) ?? true)
}

/** `level must`, `level must, planned in the area token` */
export function scopeText({ levels, areas }: Scope): string {
  return `level ${levels.join(', ')}${areas === undefined ? '' : ` in ${areasText(areas)}`}`
}

/** `the area token`, `the areas token, events` */
export function areasText(areas: readonly string[]): string {
  return `the ${areas.length === 1 ? 'area' : 'areas'} ${areas.join(', ')}`
}
