import { styleText } from 'node:util'
import { catalogue } from '../check/catalogue.ts'
import { levels } from '../check/requirement.ts'
import { select } from '../check/selection.ts'
import { loadSuites } from '../check/suites.ts'
import { type Alteration, checksText, concerning, readAlterations } from '../embedded/alterations.ts'
import { proofResult, readProof } from '../report/proof.ts'
import { SetupError } from '../target/problem.ts'
import { counted, minuteOf, wrap } from '../text/format.ts'
import { widthOf } from '../text/terminal.ts'

interface ListOptions {
  readonly area?: readonly string[]
  readonly level?: readonly string[]
  readonly unchecked?: boolean
  readonly json?: boolean
}

/** `plumbline list`: prints the traceability matrix: requirements with checks, faults and variants. */
export async function list(globs: readonly string[], options: ListOptions): Promise<void> {
  refuseUnknown(options.level ?? [])
  const alterations = readAlterations()
  // An invalid selection throws before this promise is awaited.
  alterations.catch(() => undefined)
  const { requirements, checks } = await loadSuites()
  refuseIdsAsAreas(options.area ?? [])
  const selected = select(requirements, { only: globs, areas: options.area ?? [] }, 'list')
  const { faults, variants } = await alterations
  const rows = selected
    .map(({ id, section, area, level, statement, reason }) => ({
      id,
      section,
      area,
      level,
      statement,
      checks: checks.filter(({ requirement }) => requirement === id).map(({ name }) => name),
      faults: namesOf(concerning(faults, id)),
      variants: namesOf(concerning(variants, id)),
      reason: reason ?? null,
    }))
    .filter(({ level }) => options.level?.includes(level) ?? true)
    .filter((row) => !options.unchecked || row.checks.length === 0)
  if (options.json) {
    console.log(JSON.stringify(rows, null, 2))
    return
  }
  const width = widthOf(process.stdout)
  let area: string | undefined
  for (const row of rows) {
    if (row.area !== area) {
      area = row.area
      console.log(`\n${styleText('bold', area)}`)
    }
    const checks = checksText(row.checks.length, row.faults.length, row.variants.length)
    const facts =
      `  ${row.id.padEnd(36)} ${row.level.padEnd(7)} ${row.reason === null ? checks : ''}`.trimEnd()
    console.log(wrap(facts, width, 6).join('\n'))
    for (const line of wrap(`    ${row.statement}`, width, 4)) console.log(styleText('dim', line))
    if (row.reason !== null) console.log(wrap(`    no check: ${row.reason}`, width, 6).join('\n'))
  }
  console.log(['', ...wrap(sizeOf(rows), width, 2), ...wrap(proofText(), width, 2)].join('\n'))
}

function namesOf(alterations: readonly Alteration[]): string[] {
  return alterations.map(({ name }) => name)
}

type Row = Readonly<Record<'checks' | 'faults' | 'variants', readonly string[]>> & { readonly level: string }

/** `3 requirements: 1 with 3 checks, 4 faults, 2 variants; 2 have no check, 1 of them binds partners (level client)` */
function sizeOf(rows: readonly Row[]): string {
  const requirements = counted(rows.length, 'requirement')
  const checked = rows.filter(({ checks }) => checks.length > 0)
  const open = rows.filter(({ checks }) => checks.length === 0)
  const duties = dutiesText(open.length, open.filter(({ level }) => level === 'client').length)
  if (checked.length === 0) return `${requirements} without a check${duties}`
  const distinct = (names: readonly string[]) => new Set(names).size
  const checks = checksText(
    checked.flatMap((row) => row.checks).length,
    distinct(rows.flatMap((row) => row.faults)),
    distinct(rows.flatMap((row) => row.variants)),
  )
  return checked.length === rows.length
    ? `${requirements} with ${checks}`
    : `${requirements}: ${checked.length} with ${checks}; ${open.length} ${open.length === 1 ? 'has' : 'have'} no check${duties}`
}

/** What faults and variants are for, and when the proof last ran on this machine, with its result. */
function proofText(): string {
  const proof = readProof()
  const last =
    proof?.finishedAt === undefined
      ? 'It has not run on this machine'
      : `It last ran here on ${minuteOf(proof.finishedAt)}: ${proofResult(proof)}`
  return `\`npm run proof\` runs the checks against each fault, which they must detect, and each variant, with which they must not fail. ${last}.`
}

/** @throws {SetupError} */
function refuseUnknown(wanted: readonly string[]): void {
  const unknown = wanted.find((level) => !levels.some((known) => known === level))
  if (unknown === undefined) return
  const what = `${JSON.stringify(unknown)} is not one of ${levels.join(', ')}`
  throw new SetupError({ name: '--level', what })
}

/**
 * Refuses ids and globs among the areas: `--area` takes all words until the next option.
 * @throws {SetupError}
 */
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

/** `, 49 of them bind partners (level client)`: these say nothing about the target; empty if there are none. */
function dutiesText(withoutCheck: number, clientDuties: number): string {
  if (clientDuties === 0) return ''
  const isOne = clientDuties === 1
  const ofAll = clientDuties === withoutCheck ? `; ${isOne ? 'it' : 'they'}` : `, ${clientDuties} of them`
  return `${ofAll} ${isOne ? 'binds' : 'bind'} partners (level client)`
}
