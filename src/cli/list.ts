import { styleText } from 'node:util'
import { catalogue } from '../check/catalogue.ts'
import { levels } from '../check/requirement.ts'
import { select } from '../check/selection.ts'
import { loadSuites } from '../check/suites.ts'
import { type Alteration, byRequirement, checksText, readAlterations } from '../embedded/alterations.ts'
import { proofResult, readProof } from '../report/last-proof.ts'
import { SetupError } from '../target/problem.ts'
import { counted, minuteOf, wrap } from '../text/format.ts'
import { widthOf } from '../text/terminal.ts'

interface ListOptions {
  readonly area?: readonly string[]
  readonly level?: readonly string[]
  readonly unchecked?: boolean
  readonly json?: boolean
}

type Row = Readonly<Record<'id' | 'area' | 'level' | 'statement', string>> &
  Readonly<Record<'checks' | 'faults' | 'variants', readonly string[]>> & { readonly reason: string | null }

/** `plumbline list`: prints requirements with their checks, faults and variants (traceability matrix). */
export async function list(globs: readonly string[], options: ListOptions): Promise<void> {
  refuseUnknownLevels(options.level ?? [])
  const { requirements, checks } = await loadSuites()
  refuseIdsAsAreas(options.area ?? [])
  const selected = select(requirements, { only: globs, areas: options.area ?? [] }, 'list')
  const { faults, variants } = await readAlterations()
  const [faultsOf, variantsOf] = [byRequirement(faults), byRequirement(variants)]
  const rows = selected
    .map(({ id, section, area, level, statement, reason }) => ({
      id,
      section,
      area,
      level,
      statement,
      checks: checks.filter(({ requirement }) => requirement === id).map(({ name }) => name),
      faults: namesOf(faultsOf(id)),
      variants: namesOf(variantsOf(id)),
      reason: reason ?? null,
    }))
    .filter(({ level }) => options.level?.includes(level) ?? true)
    .filter((row) => !options.unchecked || row.checks.length === 0)
  if (options.json) {
    console.log(JSON.stringify(rows, null, 2))
    return
  }
  const width = widthOf(process.stdout)
  const summary = [sizeOf(rows), await proofText()].flatMap((text) => wrap(text, width, 2))
  console.log([...rowLines(rows, width), '', ...summary].join('\n'))
}

function rowLines(rows: readonly Row[], width: number): string[] {
  return [...Map.groupBy(rows, ({ area }) => area)].flatMap(([area, ofArea]) => [
    `\n${styleText('bold', area)}`,
    ...ofArea.flatMap((row) => linesOf(row, width)),
  ])
}

function linesOf({ id, level, statement, checks, faults, variants, reason }: Row, width: number): string[] {
  const proof = reason === null ? checksText(checks.length, faults.length, variants.length) : ''
  const facts = `  ${id.padEnd(36)} ${level.padEnd(7)} ${proof}`.trimEnd()
  return [
    ...wrap(facts, width, 6),
    ...wrap(`    ${statement}`, width, 4).map((line) => styleText('dim', line)),
    ...(reason === null ? [] : wrap(`    no check: ${reason}`, width, 6)),
  ]
}

function namesOf(alterations: readonly Alteration[]): string[] {
  return alterations.map(({ name }) => name)
}

/** `3 requirements: 1 with 3 checks, 4 faults, 2 variants; 2 have no check, 1 of them binds partners (level client)` */
function sizeOf(rows: readonly Row[]): string {
  const requirements = counted(rows.length, 'requirement')
  const checked = rows.filter(({ checks }) => checks.length > 0)
  const unchecked = rows.filter(({ checks }) => checks.length === 0)
  const partners = partnersText(unchecked.length, unchecked.filter(({ level }) => level === 'client').length)
  if (checked.length === 0) return `${requirements} without a check${partners}`
  const distinct = (names: readonly string[]) => new Set(names).size
  const checks = checksText(
    checked.flatMap((row) => row.checks).length,
    distinct(rows.flatMap((row) => row.faults)),
    distinct(rows.flatMap((row) => row.variants)),
  )
  return checked.length === rows.length
    ? `${requirements} with ${checks}`
    : `${requirements}: ${checked.length} with ${checks}; ${unchecked.length} ${unchecked.length === 1 ? 'has' : 'have'} no check${partners}`
}

async function proofText(): Promise<string> {
  const proof = await readProof()
  const last =
    proof?.finishedAt === undefined
      ? 'It has not run on this machine'
      : `It last ran here on ${minuteOf(proof.finishedAt)}: ${proofResult(proof)}`
  return `\`npm run proof\` runs the checks against each fault and variant: they must detect each fault, and must not fail with any variant. ${last}.`
}

function refuseUnknownLevels(given: readonly string[]): void {
  const unknown = given.find((level) => !levels.some((known) => known === level))
  if (unknown === undefined) return
  const what = `${JSON.stringify(unknown)} is not one of ${levels.join(', ')}`
  throw new SetupError({ name: '--level', what })
}

/** `--area` takes all words until the next option, even ids. @throws {SetupError} if an area looks like an id */
function refuseIdsAsAreas(areas: readonly string[]): void {
  const id = areas.find(
    (area) => /[*?[\]{}!]|^[A-Z]+-/.test(area) && !catalogue.areas.has(area.toLowerCase()),
  )
  if (id === undefined) return
  throw new SetupError({
    name: '--area',
    what: `${JSON.stringify(id)} is not an area; put id globs before --area`,
  })
}

/** `, 49 of them bind partners (level client)`; empty if no requirement without a check has this level. */
function partnersText(withoutCheck: number, ofLevelClient: number): string {
  if (ofLevelClient === 0) return ''
  const isOne = ofLevelClient === 1
  const ofAll = ofLevelClient === withoutCheck ? `; ${isOne ? 'it' : 'they'}` : `, ${ofLevelClient} of them`
  return `${ofAll} ${isOne ? 'binds' : 'bind'} partners (level client)`
}
