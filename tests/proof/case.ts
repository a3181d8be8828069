import { type Fault, faults, type Variant, variants } from '../../provider/index.ts'
import { loadSuites, type SuiteCheck } from '../../src/run/suites.ts'

/** One proof run: the provider with at most one fault or variant, checked as a user would check it. */
export interface Case {
  readonly kind: 'clean' | 'fault' | 'variant'
  readonly name: string
  /** Requirements whose checks run; empty means all. */
  readonly only: readonly string[]
}

/** What a proof run found, by requirement. */
export interface CaseResult {
  readonly case: Case
  readonly failed: readonly string[]
  readonly undecided: readonly string[]
  /** Sentences of checks that broke instead of deciding: defects of the harness, whatever the case. */
  readonly defects: readonly string[]
  readonly passed: readonly string[]
  readonly wallMs: number
  readonly requests: number
  readonly logins: number
}

/**
 * What can be seen of a change to one part of the service: its own checks, and those of parts that build on it.
 * Checks that never talk to the part would only repeat the clean run, and leaving them out is what lets hundreds
 * of proof runs fit into a few minutes. `--full` runs everything for each, which proves this table itself.
 */
const areasOfFace: Readonly<Record<Fault['face'], readonly string[]>> = {
  authorization: ['authorization', 'token', 'id-token', 'userinfo', 'platform'],
  tokens: ['discovery', 'key-set', 'token', 'id-token', 'userinfo', 'introspection', 'platform'],
  hub: ['event-search', 'events', 'platform'],
  both: [],
}

/** Whether a check says something new about a case. */
function isAbout({ definition }: SuiteCheck, alteration: Fault | Variant): boolean {
  const areas = areasOfFace[alteration.face]
  if (areas.length > 0 && !areas.includes(definition.area)) return false
  // The Event Hub knows no user: only a check it is meant for needs one.
  if (alteration.face !== 'hub' || !definition.effects?.includes('login')) return true
  return ('violates' in alteration ? alteration.violates : alteration.concerns).includes(
    definition.requirement,
  )
}

/** All proof runs: the clean provider, every variant, every fault. */
export async function allCases({ full }: { readonly full: boolean }): Promise<Case[]> {
  const { checks } = await loadSuites()
  const caseOf = (kind: 'fault' | 'variant') => (alteration: Fault | Variant) => ({
    kind,
    name: alteration.name,
    only: full
      ? []
      : [
          ...new Set(
            checks
              .filter((check) => isAbout(check, alteration))
              .map(({ definition }) => definition.requirement),
          ),
        ],
  })
  return [
    { kind: 'clean', name: 'clean', only: [] },
    ...variants.map(caseOf('variant')),
    ...faults.map(caseOf('fault')),
  ]
}
