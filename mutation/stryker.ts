import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../src/project.ts'
import type { MutationModule } from './modules.ts'
import type { Mutant } from './survivors.ts'

/** The outcome of the mutants of one module. */
export interface ModuleReport {
  /** Mutants that a test noticed, including time-outs. */
  readonly killed: number
  readonly survivors: readonly Mutant[]
}

interface Place {
  readonly line: number
  readonly column: number
}

/** The part of Stryker's JSON report that is read. */
interface StrykerReport {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly source: string
        readonly mutants: readonly {
          readonly status: string
          readonly replacement?: string
          readonly location: { readonly start: Place; readonly end: Place }
        }[]
      }
    >
  >
}

const folder = join(projectRoot, 'reports', 'mutation')
const packages = join(projectRoot, 'mutation', 'node_modules')

/**
 * Mutates one module. Killed mutants whose source and tests are unchanged are not tested again.
 * @param fresh whether to test every mutant again
 * @returns undefined if Stryker fails, for example because a test fails without a mutant
 */
export function mutate(module: MutationModule, fresh: boolean): ModuleReport | undefined {
  const name = module.name.replaceAll('/', '-')
  const report = join(folder, `${name}.json`)
  const config = join(folder, `${name}.config.json`)
  const state = join(folder, `${name}.state.json`)
  mkdirSync(folder, { recursive: true })
  forgetSurvivors(state)
  writeFileSync(config, JSON.stringify(options(module, { report, state, fresh }), null, 2))
  const { status } = spawnSync(process.execPath, [join(packages, '.bin', 'stryker'), 'run', config], {
    cwd: projectRoot,
    env: { ...process.env, MUTATION_TESTS: module.tests.join(',') },
    stdio: 'inherit',
  })
  if (status !== 0) return undefined
  return readReport(JSON.parse(readFileSync(report, 'utf8')))
}

/** Removes survivors from Stryker's cache, because the cache can be stale for code that runs on import. */
function forgetSurvivors(state: string): void {
  if (!existsSync(state)) return
  const last: StrykerReport = JSON.parse(readFileSync(state, 'utf8'))
  const files = Object.entries(last.files).map(([name, file]) => {
    const mutants = file.mutants.filter(({ status }) => isKilled(status))
    return [name, { ...file, mutants }]
  })
  writeFileSync(state, JSON.stringify({ ...last, files: Object.fromEntries(files) }))
}

function isKilled(status: string): boolean {
  return status === 'Killed' || status === 'Timeout'
}

function options(
  { mutate }: MutationModule,
  { report, state, fresh }: { readonly report: string; readonly state: string; readonly fresh: boolean },
) {
  return {
    mutate,
    testRunner: 'vitest',
    plugins: [join(packages, '@stryker-mutator', 'vitest-runner', 'dist', 'src', 'index.js')],
    vitest: { configFile: 'mutation/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    concurrency: 1,
    // Long, because a time-out on a busy machine would count as killed. Stryker detects endless loops by counting.
    timeoutMS: 20_000,
    incremental: true,
    incrementalFile: state,
    force: fresh,
    reporters: ['json', 'progress'],
    jsonReporter: { fileName: report },
    tempDirName: join('reports', 'mutation', 'sandbox'),
    cleanTempDir: 'always',
    ignorePatterns: ['reports/*', '!reports/*.json', 'docs/pictures'],
    // Stryker cannot rewrite tsconfig.json with TypeScript 7. The tests do not need this file.
    tsconfigFile: 'none',
    logLevel: 'warn',
    warnings: { slow: false },
  }
}

function readReport({ files }: StrykerReport): ModuleReport {
  const mutants = Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants.map((mutant) => ({ file, source, ...mutant })),
  )
  const killed = mutants.filter(({ status }) => isKilled(status)).length
  const survivors = mutants
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map(({ file, source, location, replacement = '' }) => {
      const lines = source.split('\n')
      const original = between(lines, location.start, location.end)
      return {
        file,
        line: lines[location.start.line - 1]?.trim() ?? '',
        change: `${inOneLine(original)} → ${inOneLine(replacement)}`,
        lineNumber: location.start.line,
      }
    })
  return { killed, survivors }
}

/** The text between two positions, whose lines and columns count from 1. */
function between(lines: readonly string[], start: Place, end: Place): string {
  const part = lines.slice(start.line - 1, end.line)
  const last = part.length - 1
  return part
    .map((text, index) =>
      text.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : undefined),
    )
    .join('\n')
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
