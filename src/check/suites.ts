import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { projectRoot } from '../project.ts'
import { type CatalogueRequirement, type CheckDefinition, catalogue } from './catalogue.ts'

export interface SuiteCheck extends CheckDefinition {
  /** Path of its file, relative to the project. */
  readonly file: string
}

export interface Suites {
  readonly requirements: readonly CatalogueRequirement[]
  readonly checks: readonly SuiteCheck[]
}

/** Loads a suite, faster than `import`. */
const loadSuite = createRequire(import.meta.url)

let loaded: Promise<Suites> | undefined

/** Loads all suites once, without running a check. The checks are in their execution order. */
export function loadSuites(): Promise<Suites> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<Suites> {
  const checks: SuiteCheck[] = []
  for (const file of suiteFiles()) {
    const before = catalogue.checks.length
    // A suite defines its area, requirements and checks in the catalogue.
    loadSuite(join(projectRoot, file))
    for (const definition of catalogue.checks.slice(before)) checks.push({ ...definition, file })
  }
  const rank = (area: string) => catalogue.areas.get(area)?.order ?? 0
  const turn = ({ area, turn: own }: CheckDefinition) => own ?? catalogue.areas.get(area)?.turn ?? rank(area)
  return {
    requirements: [...catalogue.requirements.values()].sort((a, b) => rank(a.area) - rank(b.area)),
    checks: inRunOrder(checks, turn),
  }
}

/** Paths of all files of the suites, relative to the project, with `/`, sorted. */
function suiteFiles(): string[] {
  return readdirSync(join(projectRoot, 'suites'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `suites/${file.replaceAll('\\', '/')}`)
    .sort()
}

/**
 * Sorts checks by file: first ordinary files, then files that may destroy shared tokens, then files with checks that
 * run last. Within each group, files are sorted by turn.
 * @param turn position of a check; a file runs at the earliest turn of its checks
 */
export function inRunOrder(checks: readonly SuiteCheck[], turn: (check: SuiteCheck) => number): SuiteCheck[] {
  const stageOf = (inFile: readonly SuiteCheck[]): number => {
    if (inFile.some(({ runsLast }) => runsLast)) return 2
    return inFile.some(({ effects }) => effects?.includes('token-destruction')) ? 1 : 0
  }
  const files = [...Map.groupBy(checks, ({ file }) => file)].map(([file, inFile]) => {
    return { file, inFile, stage: stageOf(inFile), turn: Math.min(...inFile.map(turn)) }
  })
  return files
    .sort((a, b) => a.stage - b.stage || a.turn - b.turn || a.file.localeCompare(b.file))
    .flatMap(({ inFile }) => inFile)
}
