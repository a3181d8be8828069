import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { installSeparatePackages } from '../scripts/setup/separate-packages.mjs'
import { launchBrowser } from '../src/browser/index.ts'
import { loadSuites } from '../src/check/suites.ts'
import { compareWithPage, type PageComparison } from './comparison.ts'
import { readExpectations } from './findings-page.ts'
import { type LawfulRun, runAgainst } from './run.ts'

// Checks other OAuth and OpenID implementations, and compares the findings with the page of each. Exits with 1 if they
// differ.
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
await installSeparatePackages(import.meta.dirname)

const { requirements, checks } = await loadSuites()
const ids = new Set(requirements.map(({ id }) => id))
const browser = await launchBrowser({ hosts: ['127.0.0.1:*'], headed: false })
const differences: string[] = []
const titles = [
  ...['violations', 'unexpected', 'missing', 'inconclusive', 'following', 'unexplained'],
  ...['requests', 'logins', 'seconds'],
]
const nameWidth = Math.max(...all.map((name) => name.length))
try {
  console.log(lineOf('', titles))
  for (const name of wanted.length === 0 ? all : wanted) {
    const page = readExpectations(readFileSync(join(folder, `${name}.md`), 'utf8'), ids)
    const run = await runAgainst(name, checks, browser)
    const comparison = compareWithPage(run.results, page)
    console.log(lineOf(name, figuresOf(run, comparison)))
    differences.push(...comparison.differences.map((sentence) => `${name}: ${sentence}`))
  }
} finally {
  await browser.close()
}
for (const sentence of differences) console.log(`  ✗ ${sentence}`)
process.exitCode = differences.length === 0 ? 0 : 1

function figuresOf(run: LawfulRun, found: PageComparison): string[] {
  const lists = [
    ...[found.expected, found.unexpected, found.missing],
    ...[found.inconclusive, found.following, found.unexplained],
  ]
  const counts = [...lists.map(({ length }) => length), run.requests, run.logins]
  return [...counts.map(String), run.seconds.toFixed(1)]
}

/** A row of the table, with each figure below its title. */
function lineOf(name: string, figures: readonly string[]): string {
  const cells = figures.map((figure, column) => figure.padStart(titles[column]?.length ?? 0))
  return [name.padEnd(nameWidth), ...cells].join('  ')
}
