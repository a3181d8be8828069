import picomatch from 'picomatch'
import { type Fault, faults, type Variant, variants } from '../provider/index.ts'
import type { CaseResult } from './cases.ts'

/**
 * The results of the proof, as in reports/proof.json. A requirement *turns red* if one of its checks fails. A requirement
 * of level `reference` turns red if one of its checks observes a difference from the specification.
 */
interface Matrix {
  readonly faults: readonly {
    readonly name: string
    readonly violates: readonly string[]
    readonly caughtBy: readonly string[]
    /** Declared consequences that turned red. */
    readonly consequent: readonly string[]
    /** Declared consequences that did not turn red. */
    readonly absent: readonly string[]
    /** Requirements that turned red, although the fault declares neither a violation nor a consequence. */
    readonly unexpected: readonly string[]
    readonly inconclusive: readonly string[]
    readonly wallMs: number
  }[]
  readonly variants: readonly {
    readonly name: string
    readonly failed: readonly string[]
    readonly inconclusive: readonly string[]
    /** Requirements that must be inconclusive on this provider, but are not. */
    readonly notInconclusive: readonly string[]
    /** Requirements that must pass on this provider, but do not. */
    readonly notGreen: readonly string[]
    /** Requirements that are inconclusive, although the variant does not declare that they may be. */
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

type FaultRow = Matrix['faults'][number]
type VariantRow = Matrix['variants'][number]

/** Compares every proof run with the declaration of its fault or variant. */
export function matrixOf(results: readonly CaseResult[]): Matrix {
  const faultByName = new Map(faults.map((fault) => [fault.name, fault]))
  const variantByName = new Map(variants.map((variant) => [variant.name, variant]))
  const rows = results
    .filter(({ case: { kind } }) => kind === 'fault')
    .map((result) => rowOf(result, faultByName.get(result.case.name)))
  const lawful = results.filter(({ case: { kind } }) => kind !== 'fault')
  return {
    faults: rows,
    variants: lawful.map(({ case: { name }, failed, inconclusive, passed, wallMs }) => ({
      name,
      failed,
      inconclusive,
      notInconclusive: (variantByName.get(name)?.mustBeInconclusive ?? []).filter(
        (id) => !inconclusive.includes(id),
      ),
      notGreen: (variantByName.get(name)?.mustPass ?? []).filter((id) => !passed.includes(id)),
      undeclared: inconclusive.filter((id) => !declaresInconclusive(id, variantByName.get(name))),
      wallMs,
    })),
    survivors: rows.filter((row) => missedBy(row).length > 0).map(({ name }) => name),
    falseAlarms: lawful.filter(({ failed }) => failed.length > 0).map(({ case: { name } }) => name),
    defects: results.flatMap(({ case: { name }, defects }) => defects.map((defect) => `${name}: ${defect}`)),
  }
}

/** Whether a variant declares that a requirement may be inconclusive. The clean provider has no declarations. */
function declaresInconclusive(
  id: string,
  { mustBeInconclusive = [], mayBeInconclusive = [] }: Partial<Variant> = {},
): boolean {
  return mustBeInconclusive.includes(id) || picomatch.isMatch(id, mayBeInconclusive)
}

/** The requirements that a fault violates, but did not turn red. */
function missedBy({ violates, caughtBy }: Pick<FaultRow, 'violates' | 'caughtBy'>): string[] {
  return violates.filter((id) => !caughtBy.includes(id))
}

/** One kind of difference between results and the declaration of a fault or a variant. */
interface Deviation<Row> {
  /** The requirements with this difference. */
  readonly idsOf: (row: Row) => readonly string[]
  /** Label in the table. */
  readonly mark: string
  readonly sentence: (id: string, provider: string) => string
}

const faultDeviations: readonly Deviation<FaultRow>[] = [
  {
    idsOf: missedBy,
    mark: 'MISSED',
    sentence: (id, fault) => `${fault} was missed: ${id} did not turn red`,
  },
  {
    idsOf: ({ absent }) => absent,
    mark: 'NO CONSEQUENCE',
    sentence: (id, fault) => `${fault} did not turn its consequence ${id} red`,
  },
  {
    idsOf: ({ unexpected }) => unexpected,
    mark: 'UNEXPECTED',
    sentence: (id, fault) => `${fault} turned ${id} red, which it does not violate`,
  },
]

const variantDeviations: readonly Deviation<VariantRow>[] = [
  {
    idsOf: ({ failed }) => failed,
    mark: 'RED',
    sentence: (id, provider) => `${provider} turned ${id} red`,
  },
  {
    idsOf: ({ notInconclusive }) => notInconclusive,
    mark: 'NOT INCONCLUSIVE',
    sentence: (id, provider) => `${id} is not inconclusive on ${provider}`,
  },
  {
    idsOf: ({ notGreen }) => notGreen,
    mark: 'NOT GREEN',
    sentence: (id, provider) => `${id} is not green on ${provider}`,
  },
  {
    idsOf: ({ undeclared }) => undeclared,
    mark: 'NOT DECLARED INCONCLUSIVE',
    sentence: (id, provider) => `${id} is inconclusive on ${provider}, but ${provider} does not declare it`,
  },
]

/** One sentence for each deviating requirement of each row. @param providerOf how a sentence names the provider */
function sentencesOf<Row>(
  rows: readonly Row[],
  deviations: readonly Deviation<Row>[],
  providerOf: (row: Row) => string,
): string[] {
  return rows.flatMap((row) =>
    deviations.flatMap(({ idsOf, sentence }) => idsOf(row).map((id) => sentence(id, providerOf(row)))),
  )
}

function idsOfRows<Row>(rows: readonly Row[], deviations: readonly Deviation<Row>[]): string[] {
  return rows.flatMap((row) => deviations.flatMap(({ idsOf }) => idsOf(row)))
}

/** The requirements whose results deviate from the declaration of a fault or a variant. */
export function deviatingIds(matrix: Matrix): string[] {
  return [...idsOfRows(matrix.faults, faultDeviations), ...idsOfRows(matrix.variants, variantDeviations)]
}

function rowOf(
  { case: { name }, failed, inconclusive, wallMs }: CaseResult,
  fault: Fault | undefined,
): FaultRow {
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
 * One sentence for each requirement that is not proved: no fault violates it, or no fault turns only this requirement
 * red.
 * @param provable ids of the requirements that checks can turn red
 */
export function unprovedOf(matrix: Matrix, provable: readonly string[]): string[] {
  const violated = new Set(faults.flatMap(({ violates }) => violates))
  const caughtAlone = new Set(
    matrix.faults.flatMap(({ caughtBy, consequent, unexpected }) =>
      caughtBy.length === 1 && consequent.length + unexpected.length === 0 ? caughtBy : [],
    ),
  )
  return provable.flatMap((id) => {
    if (!violated.has(id)) return [`${id} is checked, but no fault violates it`]
    return caughtAlone.has(id) ? [] : [`${id} is checked, but no fault turns only this requirement red`]
  })
}

/** One sentence for each deviation from a declaration, and for each crashed check. */
export function deviationsOf({ faults: ofFaults, variants: ofVariants, defects }: Matrix): string[] {
  return [
    ...sentencesOf(ofFaults, faultDeviations, ({ name }) => `fault ${name}`),
    ...sentencesOf(ofVariants, variantDeviations, ({ name }) =>
      name === 'clean' ? 'the clean provider' : `variant ${name}`,
    ),
    ...defects.map((defect) => `a check crashed: ${defect}`),
  ]
}

/** The matrix as a table for the terminal. */
export function tableOf(matrix: Matrix): string {
  const width = Math.max(...[...matrix.faults, ...matrix.variants].map(({ name }) => name.length))
  const line = <Row extends FaultRow | VariantRow>(
    row: Row,
    deviations: readonly Deviation<Row>[],
    texts: readonly string[],
  ) => {
    const marked = deviations.map(({ mark, idsOf }) => listed(mark, idsOf(row))).filter(Boolean)
    const seconds = (row.wallMs / 1000).toFixed(1).padStart(5)
    const text = [...texts.filter(Boolean), ...marked].join('  ')
    return `  ${marked.length === 0 ? '✓' : '✗'} ${row.name.padEnd(width)}  ${seconds} s  ${text}`
  }
  return [
    `Faults (${matrix.faults.length}): each must turn red the requirements that it violates, and no others except its declared consequences`,
    ...matrix.faults.map((row) =>
      line(row, faultDeviations, [listed('red', row.caughtBy), listed('as a consequence', row.consequent)]),
    ),
    '',
    `The clean provider and variants (${matrix.variants.length}): no requirement may turn red`,
    ...matrix.variants.map((row) =>
      line(row, variantDeviations, [
        row.failed.length === 0 ? 'green' : '',
        row.inconclusive.length === 0 ? '' : `${row.inconclusive.length} inconclusive`,
      ]),
    ),
  ].join('\n')
}

/** `red: TOKEN-TYPE TOKEN-STATUS`; empty without ids. */
function listed(label: string, ids: readonly string[]): string {
  return ids.length === 0 ? '' : `${label}: ${ids.join(' ')}`
}
