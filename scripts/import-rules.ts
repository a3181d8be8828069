import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../src/project.ts'

// Writes biome.import-rules.json, with which the lint checks the imports between folders.
//   node scripts/import-rules.ts

/** The folders of src from the bottom up. A folder may import from the rows below and from its own row. */
export const rows: readonly (readonly string[])[] = [
  ['text'],
  ['target', 'chart'],
  ['evidence', 'embedded'],
  ['http'],
  ['oauth', 'event-hub', 'browser'],
  ['webhook'],
  ['check'],
  ['results'],
  ['compare'],
  ['release'],
  ['report'],
  ['run'],
  ['recording'],
  ['doctor'],
  ['cli'],
]

interface Pattern {
  readonly group: readonly string[]
  readonly message: string
}

const provider: Pattern = {
  group: ['**/provider/**', 'oidc-provider', 'oidc-provider/**'],
  message: 'Checks and the embedded provider share no code: import nothing from provider here.',
}
const toolNames = ['tests', 'scripts', 'proof', 'bench', 'lawful', 'mutation', 'siege']
const tools = toolNames.map((name) => `**/${name}/**`)
const noTools: Pattern = {
  group: tools,
  message: `Only ${toolNames.join(', ')} import from ${toolNames.join(', ')}.`,
}

function overrideFor(includes: readonly string[], patterns: readonly Pattern[]) {
  const rule = { level: 'error', options: { patterns } }
  return { includes, linter: { rules: { style: { noRestrictedImports: rule } } } }
}

/** The imports that the folders of a row must not use. */
function forbiddenImports(row: readonly string[], height: number): Pattern[] {
  const above = rows.slice(height + 1).flat()
  const names = rows.map((row) => (row.length === 1 ? row[0] : `{${row.join(', ')}}`)).reverse()
  return [
    provider,
    noTools,
    ...(row.includes('check') || row.includes('cli')
      ? []
      : [
          {
            group: ['**/suites/**', '**/load/**'],
            message: 'Only src/check and src/cli load suites and probes.',
          },
        ]),
    ...(above.length === 0
      ? []
      : [
          {
            group: above.map((folder) => `**/${folder}/**`),
            message: `Folders of src import from folders below them: ${names.join(', ')}.`,
          },
        ]),
  ]
}

/** If several overrides match a file, Biome applies only the last one, so each override lists all its patterns. */
export function importRules() {
  return {
    $schema: JSON.parse(readFileSync(join(projectRoot, 'biome.json'), 'utf8')).$schema,
    overrides: [
      overrideFor(
        ['provider/**'],
        [
          {
            group: ['**/src/**', '**/suites/**', '**/load/**'],
            message:
              'The provider interprets the specification independently: import nothing from src, suites or load.',
          },
          noTools,
        ],
      ),
      overrideFor(
        ['suites/**'],
        [
          provider,
          { group: ['**/load/**', ...tools], message: 'Suites import from src and from suites only.' },
        ],
      ),
      overrideFor(
        ['load/**'],
        [
          provider,
          { group: ['**/suites/**', ...tools], message: 'Load probes import from src only.' },
          {
            group: ['**/src/cli/**'],
            message: 'The command loads the probes; they do not know the command.',
          },
        ],
      ),
      overrideFor(
        ['lawful/**'],
        [
          {
            group: ['**/provider/**'],
            message: 'Other implementations share no code with the embedded provider.',
          },
        ],
      ),
      ...rows.map((row, height) =>
        overrideFor(
          row.map((folder) => `src/${folder}/**`),
          forbiddenImports(row, height),
        ),
      ),
    ],
  }
}

if (import.meta.main) {
  writeFileSync(join(projectRoot, 'biome.import-rules.json'), `${JSON.stringify(importRules(), null, 2)}\n`)
}
