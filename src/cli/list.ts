import { styleText } from 'node:util'
import { concerning, readAlterations } from '../run/alterations.ts'
import { loadSuites } from '../run/suites.ts'
import { counted } from '../run/text.ts'

/** `plumbline list`: the traceability matrix, from statement to checks, faults and variants. */
export async function list(options: { readonly json?: boolean }): Promise<void> {
  const [{ requirements, checks }, { faults, variants }] = await Promise.all([
    loadSuites(),
    readAlterations(),
  ])
  const rows = requirements.map(({ id, section, area, level, statement, reason }) => ({
    id,
    section,
    area,
    level,
    statement,
    checks: checks
      .filter(({ definition }) => definition.requirement === id)
      .map(({ definition }) => definition.name),
    faults: concerning(faults, id),
    variants: concerning(variants, id),
    reason: reason ?? null,
  }))
  if (options.json) {
    console.log(JSON.stringify(rows, null, 2))
    return
  }
  let area: string | undefined
  for (const row of rows) {
    if (row.area !== area) {
      area = row.area
      console.log(`\n${styleText('bold', area)}`)
    }
    const proof = [
      counted(row.checks.length, 'check'),
      counted(row.faults.length, 'fault'),
      counted(row.variants.length, 'variant'),
    ].join(', ')
    console.log(`  ${row.id.padEnd(36)} ${row.level.padEnd(6)} ${row.reason ?? proof}`)
    console.log(`    ${styleText('dim', row.statement)}`)
  }
  const checked = rows.filter((row) => row.checks.length > 0).length
  console.log(
    `\n${rows.length} requirements, ${checked} with checks; ${faults.length} faults, ${variants.length} variants`,
  )
}
