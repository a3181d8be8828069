import { type Fault, faults, type Variant, variants } from '../../provider/index.ts'

/** One proof run: the provider with at most one fault or variant, checked as a user would check it. */
export interface Case {
  readonly kind: 'clean' | 'fault' | 'variant'
  readonly name: string
  /** Areas whose checks run; empty means all. */
  readonly areas: readonly string[]
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
 * The halves of the service share no code path, so a change in one cannot be seen by checks that only talk
 * to the other. That is what lets hundreds of proof runs fit into a few minutes.
 */
const areasOfFace: Readonly<Record<Fault['face'], readonly string[]>> = {
  idp: [
    'discovery',
    'key-set',
    'authorization',
    'token',
    'id-token',
    'userinfo',
    'introspection',
    'platform',
  ],
  hub: ['event-search', 'events', 'platform'],
  both: [],
}

/** All proof runs: the clean provider, every variant, every fault. */
export function allCases(): Case[] {
  const caseOf = (kind: 'fault' | 'variant') => (alteration: Fault | Variant) => ({
    kind,
    name: alteration.name,
    areas: areasOfFace[alteration.face],
  })
  return [
    { kind: 'clean', name: 'clean', areas: [] },
    ...variants.map(caseOf('variant')),
    ...faults.map(caseOf('fault')),
  ]
}
