import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckDefinition } from '../src/check/catalogue.ts'
import { loadSuites } from '../src/check/suites.ts'
import { projectRoot } from '../src/project.ts'
import { profiles } from '../src/target/profiles.ts'

// Writes the list of checks that production may receive into docs/safety.md.
//   node scripts/safety.ts

export const safetyPage = 'docs/safety.md'
const begin = '<!-- Written by scripts/safety.ts from the effects of all checks. -->\n'
const end = '<!-- The end of what scripts/safety.ts writes. -->\n'

/** docs/safety.md with the current table. */
export async function safetyText(): Promise<string> {
  const text = readFileSync(join(projectRoot, safetyPage), 'utf8')
  const [before = '', rest = ''] = text.split(begin)
  const [, after = ''] = rest.split(end)
  return before + begin + (await table()) + end + after
}

async function table(): Promise<string> {
  const { checks } = await loadSuites()
  const allowed = checks.filter(isAllowed)
  const rows = [...Map.groupBy(allowed, ({ requirement }) => requirement)].map(
    ([id, group]) => `| ${group[0]?.area} | \`${id}\` | ${group.map(({ name }) => name).join('; ')} |`,
  )
  const total = `${allowed.length} of ${checks.length} checks may run against production. A test fails if this table is out of date.`
  return `\n${total}\n\n| area | requirement | checks |\n|---|---|---|\n${rows.join('\n')}\n\n`
}

/** Whether production allows a check without `ENABLE`. */
function isAllowed({ effects = [] }: CheckDefinition): boolean {
  return effects.every((effect) => profiles.production.allowed.includes(effect))
}

if (import.meta.main) writeFileSync(join(projectRoot, safetyPage), await safetyText())
