import picomatch from 'picomatch'
import { SetupError } from '../target/problem.ts'
import { someOf } from '../text/format.ts'
import { isObject } from '../text/json.ts'
import { nearName } from '../text/near-name.ts'
import type { CatalogueRequirement } from './catalogue.ts'
import type { SuiteCheck } from './suites.ts'

/** The selection of the user: requirement ids or globs, and areas. An empty list selects everything. */
export interface Selection {
  readonly only: readonly string[]
  readonly areas: readonly string[]
}

/** Whether a value from a file, which may be damaged, is a selection. */
export function isSelection(value: unknown): value is Selection {
  return (
    isObject(value) &&
    [value.only, value.areas].every(
      (list) => Array.isArray(list) && list.every((word) => typeof word === 'string'),
    )
  )
}

/** A function that decides whether a selection includes a requirement, even one that is not in the catalogue. */
export function selects({ only, areas }: Selection): (requirement: { id: string; area: string }) => boolean {
  const wanted = areas.map((area) => area.toLowerCase())
  const matchers = only.map(matcherOf)
  return ({ id, area }) =>
    (areas.length === 0 || wanted.includes(area)) &&
    (matchers.length === 0 || matchers.some((matches) => matches(id)))
}

/** Maximum length of a glob in characters. No id is longer, and the parser of globs throws for very long ones. */
const longestGlob = 200

function matcherOf(glob: string): (id: string) => boolean {
  return glob === '' || glob.length > longestGlob ? () => false : picomatch(glob, { nocase: true })
}

/** A suggestion for a glob that matches nothing. It names only similar ids, since others would mislead. */
function hint(glob: string, ids: readonly string[]): string {
  const words = glob.replace(/^[-*]+|[-*]+$/g, '')
  const text = words.toUpperCase()
  if (text === '') return '`npx plumbline list` lists them all'
  const containing = ids.filter((id) => id.includes(text))
  if (containing.length > 1) return `'*${words}*' matches ${containing.length}: ${someOf(containing)}`
  const nearest = containing[0] ?? nearName(text, ids)
  if (nearest !== undefined) return `the nearest is ${nearest}`
  const start = nearName(text, startsOf(ids))
  if (start === undefined) return '`npx plumbline list` lists them all'
  const matches = ids.filter((id) => id.startsWith(start))
  return matches.length === 1
    ? `the nearest is ${matches[0]}`
    : `'${start}*' matches ${matches.length}: ${someOf(matches)}`
}

/** The first words of ids: `EVENT` and `EVENT-WINDOW` for `EVENT-WINDOW-LIMIT`. */
function startsOf(ids: readonly string[]): string[] {
  const starts = ids.flatMap((id) => {
    const words = id.split('-')
    return words.slice(1).map((_, index) => words.slice(0, index + 1).join('-'))
  })
  return [...new Set(starts)]
}

/**
 * The requirements that match any glob of a selection and belong to any of its areas.
 * @param option the command-line option with the globs, for messages
 * @throws {SetupError} if a glob, an area, or their combination matches nothing; the message suggests a similar name
 */
export function select<T extends Pick<CatalogueRequirement, 'id' | 'area'>>(
  requirements: readonly T[],
  { only, areas }: Selection,
  option = '--only',
): T[] {
  const knownAreas = [...new Set(requirements.map(({ area }) => area))]
  const unknownArea = areas.find((area) => !knownAreas.includes(area.toLowerCase()))
  if (unknownArea !== undefined) {
    const nearest = nearName(unknownArea.toLowerCase(), knownAreas)
    const near = nearest === undefined ? '' : `the nearest is ${nearest}; `
    const what = `${JSON.stringify(unknownArea)} is not an area; ${near}the areas are ${knownAreas.join(', ')}`
    throw new SetupError({ name: '--area', what })
  }
  for (const glob of only) {
    const matches = matcherOf(glob)
    if (requirements.some(({ id }) => matches(id))) continue
    const ids = requirements.map(({ id }) => id)
    const what = `${JSON.stringify(glob)} matches no requirement; ${hint(glob, ids)}`
    throw new SetupError({ name: option, what })
  }
  const selected = requirements.filter(selects({ only, areas }))
  if (selected.length === 0) {
    throw new SetupError({
      name: option,
      what: `${only.join(' ')} matches no requirement of the area ${areas.join(' or ')}`,
    })
  }
  return selected
}

/** The checks of requirements, in the order of the suites. */
export function checksOf(
  requirements: readonly Pick<CatalogueRequirement, 'id'>[],
  checks: readonly SuiteCheck[],
): SuiteCheck[] {
  const ids = new Set(requirements.map(({ id }) => id))
  return checks.filter((check) => ids.has(check.requirement))
}

/**
 * Requires that at least one selected requirement has a check.
 * @throws {SetupError} if none has; with the reason if a single requirement is selected
 */
export function requireChecks(
  selected: readonly CatalogueRequirement[],
  checks: readonly SuiteCheck[],
): void {
  if (checksOf(selected, checks).length > 0) return
  const [first] = selected
  if (first && selected.length === 1) {
    const why = first.reason === undefined ? '' : `: ${first.reason.replace(/\.$/, '')}`
    throw new SetupError({ name: first.id, what: `has no check${why}` })
  }
  const what = `selects ${someOf(selected.map(({ id }) => id))}; none of them has a check, and \`npx plumbline list --unchecked\` shows the reasons`
  throw new SetupError({ name: '--only', what })
}
