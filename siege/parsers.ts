import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { projectRoot } from '../src/project.ts'
import { runProcess } from './run-process.ts'
import type { Attempt, Subject } from './subject.ts'

/** How many times as many values as in `npm test`. */
const factor = 5

/** The parsers of responses, files and command lines. */
const parsers = [
  'src/oauth/{jwt,key-set,challenge}.ts',
  'src/http/{response,retry-after}.ts',
  'src/event-hub/{event,page,schemas}.ts',
  'src/event-hub/poller/checkpoint.ts',
  'src/evidence/{allow-list,shape,words}.ts',
  'src/browser/{landing,recipe,claim-recipe}.ts',
  'src/release/{policy,waivers}.ts',
  'src/results/{json-file,saved-run}.ts',
  'src/text/json.ts',
  'src/check/selection.ts',
  'load/artillery/import.ts',
]

/** Coverage of a file in percent, as the reporter `json-summary` writes it. */
interface FileCoverage {
  readonly lines: { readonly pct: number }
  readonly branches: { readonly pct: number }
}

/** The fuzzed tests with more values, which also measure the coverage of the parsers. */
export async function parsersOf(): Promise<Subject> {
  let rows: readonly string[] = []
  return {
    name: 'parsers',
    promise: 'Whatever a response, a file or a command line contains, no parser throws an unexpected error.',
    method: `The tests of \`tests/siege/fuzz\` alter valid values at random, ${factor} times as often as in \`npm test\`.`,
    attempts: new Map([
      [
        'all parsers',
        async () => {
          const { coverage, ...attempt } = await fuzz()
          rows = coverage
          return attempt
        },
      ],
    ]),
    table: () => ['| parser | lines | branches |', '|---|---:|---:|', ...rows].join('\n'),
    close: async () => {},
  }
}

/** Runs the fuzzed tests. @returns `coverage`: Markdown rows of the table */
async function fuzz(): Promise<Attempt & { readonly coverage: readonly string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-coverage-'))
  try {
    const { code, stdout } = await runProcess(
      [
        join(projectRoot, 'node_modules/vitest/vitest.mjs'),
        ...['run', '--project', 'tests', 'tests/siege/fuzz', '--testTimeout', '600000'],
        ...['--coverage.enabled', '--coverage.provider=v8', '--coverage.reporter=json-summary'],
        `--coverage.reportsDirectory=${folder}`,
        ...parsers.map((glob) => `--coverage.include=${glob}`),
      ],
      { FUZZ_FACTOR: String(factor) },
    )
    const summary: Record<string, FileCoverage> = JSON.parse(
      await readFile(join(folder, 'coverage-summary.json'), 'utf8'),
    )
    const rowOf = (name: string, { lines, branches }: FileCoverage) =>
      `| ${name} | ${Math.round(lines.pct)} % | ${Math.round(branches.pct)} % |`
    const { total, ...files } = summary
    const rows = Object.entries(files).map(([file, coverage]) =>
      rowOf(`\`${relative(projectRoot, file)}\``, coverage),
    )
    const measured = total ? `${Math.round(total.lines.pct)} % of the lines of the parsers` : 'no coverage'
    const failures = stdout.split('\n').filter((line) => /FAIL|Counterexample/.test(line))
    return {
      held: code === 0,
      measured: [measured, ...failures].join(' '),
      coverage: [...rows.sort(), ...(total ? [rowOf('all', total)] : [])],
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}
