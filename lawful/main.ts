import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { launchBrowser } from '../src/browser/index.ts'
import { loadSuites } from '../src/check/suites.ts'
import { type Comparison, compare } from './comparison.ts'
import { installPackages } from './packages.ts'
import { readPage } from './page.ts'
import { type LawfulRun, runAgainst } from './run.ts'

// Checks other OAuth and OpenID implementations, and compares the findings with the page of each.
//   node lawful/main.ts [NAME…]

const folder = import.meta.dirname
const all = globSync('implementations/*.ts', { cwd: folder })
  .map((file) => basename(file, '.ts'))
  .sort()
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  console.error(`There is no implementation ${unknown.join(', ')}; there are ${all.join(', ')}.`)
  process.exit(3)
}
await installPackages()

const { requirements, checks } = await loadSuites()
const ids = new Set(requirements.map(({ id }) => id))
const browser = await launchBrowser({ hosts: ['127.0.0.1:*'], headed: false })
const rows: string[][] = []
const differences: string[] = []
try {
  for (const name of wanted.length === 0 ? all : wanted) {
    const page = readPage(readFileSync(join(folder, `${name}.md`), 'utf8'), ids)
    const run = await runAgainst(name, checks, browser)
    const comparison = compare(run.results, page)
    rows.push(rowOf(name, run, comparison))
    differences.push(...comparison.differences.map((sentence) => `${name}: ${sentence}`))
  }
} finally {
  await browser.close()
}
console.log(tableOf(rows))
for (const sentence of differences) console.log(`  ✗ ${sentence}`)
process.exitCode = differences.length === 0 ? 0 : 1

function rowOf(name: string, run: LawfulRun, found: Comparison): string[] {
  const counts = [
    found.expected,
    found.unexpected,
    found.missing,
    found.undecided,
    found.following,
    found.unexplained,
  ].map(({ length }) => `${length}`)
  return [name, ...counts, `${run.requests}`, `${run.logins}`, run.seconds.toFixed(1)]
}

/** Numbers below numbers, the name to the left. */
function tableOf(rows: readonly (readonly string[])[]): string {
  const head = [
    'implementation',
    ...['violations', 'unexpected', 'missing', 'inconclusive', 'following', 'unexplained'],
    ...['requests', 'logins', 'seconds'],
  ]
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n')
}
