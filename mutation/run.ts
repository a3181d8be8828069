import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installSeparatePackages } from '../scripts/setup/separate-packages.mjs'
import { projectRoot } from '../src/project.ts'
import { type MutationModule, modules } from './modules.ts'
import { type ModuleReport, mutate } from './stryker.ts'
import { compareSurvivors, type Explanation } from './survivors.ts'

// Mutation testing of the code that decides verdicts.
//   npm run mutation                      all modules; killed mutants of unchanged code are not tested again
//   npm run mutation -- oauth release     modules whose names begin with these words
//   npm run mutation -- --fresh oauth     tests every mutant again

const exitFailed = 1
const exitUsage = 3
const folder = join(projectRoot, 'mutation')

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  const fresh = args.includes('--fresh')
  const names = args.filter((arg) => arg !== '--fresh')
  const unknown = names.find((name) => !modules.some((module) => module.name.startsWith(name)))
  if (unknown !== undefined) {
    console.error(
      `No module is named ${unknown}; the modules are ${modules.map(({ name }) => name).join(', ')}.`,
    )
    return exitUsage
  }
  await installSeparatePackages(folder)
  const chosen = modules.filter(
    (module) => names.length === 0 || names.some((name) => module.name.startsWith(name)),
  )
  const reports = new Map<MutationModule, ModuleReport>()
  for (const module of chosen) {
    console.log(`\n== ${module.name}`)
    const report = mutate(module, fresh)
    if (report) reports.set(module, report)
    else console.error(`Stryker failed on ${module.name}.`)
  }
  const explained = summarise(reports)
  return explained && reports.size === chosen.length ? 0 : exitFailed
}

/** Prints the scores. @returns whether all survivors are explained, and all explained mutants survived */
function summarise(reports: ReadonlyMap<MutationModule, ModuleReport>): boolean {
  const file = join(folder, 'survivors.json')
  const explanations: readonly Explanation[] = JSON.parse(readFileSync(file, 'utf8'))
  console.log(`\n${row('module', 'mutants', 'killed', 'explained', 'survived', 'score')}`)
  const comparisons = [...reports].map(([module, { killed, survivors }]) => {
    const own = explanations.filter((explanation) => module.mutate.includes(explanation.file))
    const comparison = compareSurvivors(survivors, own)
    const mutants = killed + survivors.length
    const survived = comparison.unexplained.length
    const score = `${((100 * killed) / mutants).toFixed(1)} %`
    console.log(row(module.name, mutants, killed, survivors.length - survived, survived, score))
    return comparison
  })
  const unexplained = comparisons.flatMap((comparison) => comparison.unexplained)
  const stale = comparisons.flatMap((comparison) => comparison.stale)
  for (const { file, lineNumber, line, change } of unexplained) {
    console.log(`\nsurvived: ${file}:${lineNumber}\n  ${line}\n  ${change}`)
  }
  for (const { file, line, change } of stale) {
    console.log(
      `\nexplained in mutation/survivors.json, but not among the survivors: ${file}\n  ${line}\n  ${change}`,
    )
  }
  return unexplained.length + stale.length === 0
}

function row(name: string, ...cells: readonly (string | number)[]): string {
  return name.padEnd(20) + cells.map((cell) => String(cell).padStart(10)).join('')
}
