import type { Level } from '../check/requirement.ts'
import { type JsonPath, readJsonFile } from '../results/json-file.ts'
import type { RunResults } from '../results/results.ts'
import type { TargetName } from '../target/profiles.ts'
import { nearName } from '../text/near-name.ts'

/** The project's policy, as texts name it. */
export const policyName = 'reports/release-policy.json'

/** The conditions of a release. Schema: schemas/release-policy.schema.json. */
export interface Policy {
  readonly target: TargetName
  readonly kind: RunResults['run']['kind']
  /** Maximum time since the end of the run. */
  readonly maximumAgeHours: number
  readonly levels: readonly Level[]
  /** All areas if absent. */
  readonly areas?: readonly string[]
  /** Whether inconclusive requirements block the release. */
  readonly inconclusive: 'block' | 'allow'
  /**
   * Minimum shares of applicable requirements that must be judged or waived, from 0 to 1. If `inconclusive` is `block`,
   * they have no effect, except that each named area needs a judged requirement.
   */
  readonly minimumCoverage: Minimum
  /** Minimum numbers of applicable requirements. */
  readonly minimumApplicable: Minimum
  /** Whether findings on waivers, such as an expired one, block the release. */
  readonly waiverFindings: 'block' | 'report'
}

export interface Minimum {
  readonly overall?: number
  readonly areas?: Readonly<Record<string, number>>
}

const defaults = {
  kind: 'check',
  minimumCoverage: {},
  minimumApplicable: {},
  waiverFindings: 'block',
} as const

/**
 * Reads a release policy.
 * @param areas names of all areas
 * @throws {SetupError} with every violation of the schema; if there is none, with the first area that is unknown, or
 *   that has a minimum although the member `areas` of the policy omits it. The error states file, line, field and the permitted values
 */
export function readPolicy(path: string, areas: readonly string[]): { policy: Policy; text: string } {
  const file = readJsonFile<Partial<Policy> & Omit<Policy, keyof typeof defaults>>(path, {
    option: '--policy',
    schema: 'release-policy',
    hint: 'see docs/gating.md',
    missing: `pass an existing policy, or omit --policy to use ${policyName}`,
    isHandwritten: true,
  })
  const namedAreas: (readonly [place: JsonPath, area: string])[] = [
    ...(file.value.areas ?? []).map((area, index) => [['areas', index], area] as const),
    ...(['minimumCoverage', 'minimumApplicable'] as const).flatMap((minimum) =>
      Object.keys(file.value[minimum]?.areas ?? {}).map((area) => [[minimum, 'areas', area], area] as const),
    ),
  ]
  const unknown = namedAreas.find(([, area]) => !areas.includes(area))
  if (unknown) {
    const [place, area] = unknown
    const near = nearName(area, areas)
    throw file.errorAt(
      place,
      `has the unknown area ${JSON.stringify(area)}; ${near === undefined ? `the areas are ${areas.join(', ')}` : `the nearest is ${near}`}`,
    )
  }
  const covered = file.value.areas ?? areas
  const uncovered = namedAreas.find(([, area]) => !covered.includes(area))
  if (uncovered) {
    const [place, area] = uncovered
    throw file.errorAt(place, `sets a minimum for ${area}, which the policy does not cover: add it to areas`)
  }
  return { policy: { ...defaults, ...file.value }, text: file.text }
}
