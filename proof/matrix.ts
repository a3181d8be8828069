import picomatch from 'picomatch'
import { type Fault, faults, type Variant, variants } from '../provider/index.ts'
import type { CaseResult } from './case.ts'

/** reports/proof.json. */
interface Matrix {
  readonly faults: readonly {
    readonly name: string
    readonly violates: readonly string[]
    readonly caughtBy: readonly string[]
    /** Declared consequences that turned red. */
    readonly consequent: readonly string[]
    /** Declared consequences that did not turn red. */
    readonly absent: readonly string[]
    readonly unexpected: readonly string[]
    readonly inconclusive: readonly string[]
    readonly wallMs: number
  }[]
  readonly variants: readonly {
    readonly name: string
    readonly failed: readonly string[]
    readonly inconclusive: readonly string[]
    /** Requirements that should be inconclusive on this provider, but are not. */
    readonly notInconclusive: readonly string[]
    /** Requirements that should be green on this provider, but are not. */
    readonly notGreen: readonly string[]
    /** Requirements that are inconclusive on this provider, but not declared so. */
    readonly undeclared: readonly string[]
    readonly wallMs: number
  }[]
  /** Faults that violate a requirement which did not turn red. */
  readonly survivors: readonly string[]
  /** Variants, or the clean provider, that turned a requirement red. */
  readonly falseAlarms: readonly string[]
  /** Checks that crashed. */
  readonly defects: readonly string[]
}

/** Compares every proof run with the declaration of its fault or variant. */
export function matrixOf(results: readonly CaseResult[]): Matrix {
  const definitions = new Map(faults.map((fault) => [fault.name, fault]))
  const lawfulOnes = new Map(variants.map((variant) => [variant.name, variant]))
  const rows = results
    .filter(({ case: { kind } }) => kind === 'fault')
    .map((result) => rowOf(result, definitions.get(result.case.name)))
  const lawful = results.filter(({ case: { kind } }) => kind !== 'fault')
  return {
    faults: rows,
    variants: lawful.map(({ case: { name }, failed, inconclusive, passed, wallMs }) => ({
      name,
      failed,
      inconclusive,
      notInconclusive: (lawfulOnes.get(name)?.mustBeInconclusive ?? []).filter(
        (id) => !inconclusive.includes(id),
      ),
      notGreen: (lawfulOnes.get(name)?.mustPass ?? []).filter((id) => !passed.includes(id)),
      undeclared: inconclusive.filter((id) => !isPermitted(id, lawfulOnes.get(name))),
      wallMs,
    })),
    survivors: rows.filter((row) => missedBy(row).length > 0).map(({ name }) => name),
    falseAlarms: lawful.filter(({ failed }) => failed.length > 0).map(({ case: { name } }) => name),
    defects: results.flatMap(({ case: { name }, defects }) => defects.map((defect) => `${name}: ${defect}`)),
  }
}

/** Whether a variant declares that a requirement can be inconclusive; the clean provider declares none. */
function isPermitted(id: string, { mustBeInconclusive = [], mayBeInconclusive = [] }: Partial<Variant> = {}) {
  return mustBeInconclusive.includes(id) || picomatch.isMatch(id, mayBeInconclusive)
}

/** The requirements that a fault violates and that did not turn red. */
function missedBy({ violates, caughtBy }: Pick<Matrix['faults'][number], 'violates' | 'caughtBy'>): string[] {
  return violates.filter((id) => !caughtBy.includes(id))
}

/** The requirements whose result with a fault differs from its declaration. */
function differencesOfFault(row: Matrix['faults'][number]): string[] {
  return [...missedBy(row), ...row.absent, ...row.unexpected]
}

/** The requirements whose result with a lawful provider differs from its declaration. */
function differencesOfVariant({
  failed,
  notInconclusive,
  notGreen,
  undeclared,
}: Matrix['variants'][number]): string[] {
  return [...failed, ...notInconclusive, ...notGreen, ...undeclared]
}

/** The requirements whose result differs from its declaration. */
export function concernedBy(matrix: Matrix): string[] {
  return [...matrix.faults.flatMap(differencesOfFault), ...matrix.variants.flatMap(differencesOfVariant)]
}

function rowOf(
  { case: { name }, failed, inconclusive, wallMs }: CaseResult,
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
    inconclusive,
    wallMs,
  }
}

/**
 * Deviations from the declarations, one sentence each; empty if the proof holds.
 * @param judged ids of requirements whose checks may turn red
 */
export function deviationsOf(matrix: Matrix, judged: readonly string[]): string[] {
  const violated = new Set(faults.flatMap(({ violates }) => violates))
  const caughtAlone = new Set(
    matrix.faults.flatMap(({ caughtBy, consequent, unexpected }) =>
      caughtBy.length === 1 && consequent.length + unexpected.length === 0 ? caughtBy : [],
    ),
  )
  return [
    ...judged.flatMap((id) => {
      if (!violated.has(id)) return [`${id} is checked, but no fault violates it`]
      return caughtAlone.has(id) ? [] : [`${id} is checked, but no fault turns only this requirement red`]
    }),
    ...matrix.faults.flatMap(({ name, absent, unexpected, ...row }) => [
      ...missedBy(row).map((id) => `fault ${name} survived: ${id} did not turn red`),
      ...absent.map((id) => `fault ${name} did not turn its consequence ${id} red`),
      ...unexpected.map((id) => `fault ${name} turned ${id} red, which it does not violate`),
    ]),
    ...matrix.variants.flatMap(({ name, failed, notInconclusive, notGreen, undeclared }) => {
      const lawful = name === 'clean' ? 'the clean provider' : `variant ${name}`
      return [
        ...failed.map((id) => `${lawful} turned ${id} red`),
        ...notInconclusive.map((id) => `${id} is not inconclusive on ${lawful}`),
        ...notGreen.map((id) => `${id} is not green on ${lawful}`),
        ...undeclared.map((id) => `${id} is inconclusive on ${lawful}, which does not declare it`),
      ]
    }),
    ...matrix.defects.map((defect) => `a check crashed: ${defect}`),
  ]
}

/** The matrix as a table for the terminal. */
export function tableOf(matrix: Matrix): string {
  const width = Math.max(...[...matrix.faults, ...matrix.variants].map(({ name }) => name.length))
  const line = (mark: string, name: string, wallMs: number, text: string) =>
    `  ${mark} ${name.padEnd(width)}  ${(wallMs / 1000).toFixed(1).padStart(5)} s  ${text}`
  return [
    `Faults (${matrix.faults.length}): each must turn red exactly the requirements that it violates`,
    ...matrix.faults.map((row) => {
      const { name, caughtBy, consequent, absent, unexpected, wallMs } = row
      const missed = missedBy(row)
      return line(
        differencesOfFault(row).length === 0 ? '✓' : '✗',
        name,
        wallMs,
        [
          caughtBy.length > 0 ? `red: ${caughtBy.join(' ')}` : '',
          missed.length > 0 ? `MISSED: ${missed.join(' ')}` : '',
          consequent.length > 0 ? `as a consequence: ${consequent.join(' ')}` : '',
          absent.length > 0 ? `NO CONSEQUENCE: ${absent.join(' ')}` : '',
          unexpected.length > 0 ? `UNEXPECTED: ${unexpected.join(' ')}` : '',
        ]
          .filter(Boolean)
          .join('  '),
      )
    }),
    '',
    `The clean provider and variants (${matrix.variants.length}): no requirement may turn red`,
    ...matrix.variants.map((row) => {
      const { name, failed, notInconclusive, notGreen, undeclared, inconclusive, wallMs } = row
      return line(
        differencesOfVariant(row).length === 0 ? '✓' : '✗',
        name,
        wallMs,
        [
          failed.length > 0 ? `RED: ${failed.join(' ')}` : 'green',
          inconclusive.length > 0 ? `${inconclusive.length} inconclusive` : '',
          notInconclusive.length > 0 ? `NOT INCONCLUSIVE: ${notInconclusive.join(' ')}` : '',
          notGreen.length > 0 ? `NOT GREEN: ${notGreen.join(' ')}` : '',
          undeclared.length > 0 ? `NOT DECLARED INCONCLUSIVE: ${undeclared.join(' ')}` : '',
        ]
          .filter(Boolean)
          .join('  '),
      )
    }),
  ].join('\n')
}
