import { type Fault, faults, variants } from '../provider/index.ts'
import type { CaseResult } from './case.ts'

/** reports/proof.json. */
export interface Matrix {
  readonly faults: readonly {
    readonly name: string
    readonly violates: readonly string[]
    readonly caughtBy: readonly string[]
    /** Red as an unavoidable consequence. */
    readonly consequent: readonly string[]
    /** Declared consequences that did not turn red. */
    readonly absent: readonly string[]
    readonly unexpected: readonly string[]
    readonly undecided: readonly string[]
    readonly wallMs: number
  }[]
  readonly variants: readonly {
    readonly name: string
    readonly failed: readonly string[]
    readonly undecided: readonly string[]
    /** What nobody can decide on this provider, but was decided. */
    readonly presumed: readonly string[]
    /** What has to be green on this provider, but was not. */
    readonly leftOpen: readonly string[]
    readonly wallMs: number
  }[]
  /** Faults that left a requirement they violate unmentioned. */
  readonly survivors: readonly string[]
  /** Variants, or the clean provider, that turned something red. */
  readonly falseAlarms: readonly string[]
  /** Checks that broke instead of deciding. */
  readonly defects: readonly string[]
}

/** Holds every proof run against what its fault or variant promises. */
export function matrixOf(results: readonly CaseResult[]): Matrix {
  const definitions = new Map(faults.map((fault) => [fault.name, fault]))
  const lawfulOnes = new Map(variants.map((variant) => [variant.name, variant]))
  const rows = results
    .filter(({ case: { kind } }) => kind === 'fault')
    .map((result) => rowOf(result, definitions.get(result.case.name)))
  const lawful = results.filter(({ case: { kind } }) => kind !== 'fault')
  return {
    faults: rows,
    variants: lawful.map(({ case: { name }, failed, undecided, passed, wallMs }) => ({
      name,
      failed,
      undecided,
      presumed: (lawfulOnes.get(name)?.undecidable ?? []).filter((id) => !undecided.includes(id)),
      leftOpen: (lawfulOnes.get(name)?.decided ?? []).filter((id) => !passed.includes(id)),
      wallMs,
    })),
    survivors: rows
      .filter(({ violates, caughtBy }) => caughtBy.length < violates.length)
      .map(({ name }) => name),
    falseAlarms: lawful.filter(({ failed }) => failed.length > 0).map(({ case: { name } }) => name),
    defects: results.flatMap(({ case: { name }, defects }) => defects.map((defect) => `${name}: ${defect}`)),
  }
}

function rowOf(
  { case: { name }, failed, undecided, wallMs }: CaseResult,
  fault: Fault | undefined,
): Matrix['faults'][number] {
  const violates = fault?.violates ?? []
  const consequences = fault?.consequences ?? []
  const expected = new Set([...violates, ...consequences])
  return {
    name,
    violates,
    caughtBy: violates.filter((id) => failed.includes(id)),
    consequent: consequences.filter((id) => failed.includes(id)),
    absent: consequences.filter((id) => !failed.includes(id)),
    unexpected: failed.filter((id) => !expected.has(id)),
    undecided,
    wallMs,
  }
}

/**
 * What a person has to mend, one sentence each; empty when the proof holds.
 * @param judged ids of requirements whose checks may turn red
 */
export function complaints(matrix: Matrix, judged: readonly string[]): string[] {
  const violated = new Set(faults.flatMap(({ violates }) => violates))
  const caughtAlone = new Set(
    matrix.faults.flatMap(({ caughtBy, consequent, unexpected }) =>
      caughtBy.length === 1 && consequent.length + unexpected.length === 0 ? caughtBy : [],
    ),
  )
  return [
    ...judged.flatMap((id) => {
      if (!violated.has(id)) return [`${id} is checked, but no fault violates it`]
      return caughtAlone.has(id) ? [] : [`${id} is checked, but no fault turns it red alone`]
    }),
    ...matrix.faults.flatMap(({ name, violates, caughtBy, absent, unexpected }) => [
      ...violates
        .filter((id) => !caughtBy.includes(id))
        .map((id) => `fault ${name} survived: ${id} did not turn red`),
      ...absent.map((id) => `fault ${name} did not turn its consequence ${id} red`),
      ...unexpected.map((id) => `fault ${name} turned ${id} red, which it does not violate`),
    ]),
    ...matrix.variants.flatMap(({ name, failed, presumed, leftOpen }) => [
      ...failed.map(
        (id) => `${name === 'clean' ? 'the clean provider' : `variant ${name}`} turned ${id} red`,
      ),
      ...presumed.map((id) => `variant ${name} did not leave ${id} undecided`),
      ...leftOpen.map((id) => `variant ${name} did not turn ${id} green`),
    ]),
    ...matrix.variants
      .filter(({ name }) => name === 'clean')
      .flatMap(({ undecided }) => undecided.map((id) => `the clean provider left ${id} undecided`)),
    ...matrix.defects.map((defect) => `a check broke: ${defect}`),
  ]
}

/** The matrix as a table for the terminal: what each fault turned red, what each variant left green. */
export function tableOf(matrix: Matrix): string {
  const width = Math.max(...[...matrix.faults, ...matrix.variants].map(({ name }) => name.length))
  const line = (mark: string, name: string, wallMs: number, text: string) =>
    `  ${mark} ${name.padEnd(width)}  ${(wallMs / 1000).toFixed(1).padStart(5)} s  ${text}`
  return [
    `Faults (${matrix.faults.length}): each has to turn red what it violates, and nothing else`,
    ...matrix.faults.map(({ name, violates, caughtBy, consequent, absent, unexpected, wallMs }) =>
      line(
        caughtBy.length === violates.length && absent.length + unexpected.length === 0 ? '✓' : '✗',
        name,
        wallMs,
        [
          caughtBy.length > 0 ? `red: ${caughtBy.join(' ')}` : '',
          caughtBy.length < violates.length
            ? `MISSED: ${violates.filter((id) => !caughtBy.includes(id)).join(' ')}`
            : '',
          consequent.length > 0 ? `and so: ${consequent.join(' ')}` : '',
          absent.length > 0 ? `NO CONSEQUENCE: ${absent.join(' ')}` : '',
          unexpected.length > 0 ? `UNEXPECTED: ${unexpected.join(' ')}` : '',
        ]
          .filter(Boolean)
          .join('  '),
      ),
    ),
    '',
    `Lawful providers (${matrix.variants.length}): nothing may turn red`,
    ...matrix.variants.map(({ name, failed, presumed, leftOpen, undecided, wallMs }) =>
      line(
        failed.length + presumed.length + leftOpen.length === 0 ? '✓' : '✗',
        name,
        wallMs,
        [
          failed.length > 0 ? `RED: ${failed.join(' ')}` : 'green',
          undecided.length > 0 ? `${undecided.length} undecided` : '',
          presumed.length > 0 ? `PRESUMED: ${presumed.join(' ')}` : '',
          leftOpen.length > 0 ? `LEFT OPEN: ${leftOpen.join(' ')}` : '',
        ]
          .filter(Boolean)
          .join('  '),
      ),
    ),
  ].join('\n')
}
