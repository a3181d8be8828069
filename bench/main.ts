import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProvider } from '../provider/index.ts'
import { projectRoot } from '../src/project.ts'
import type { RunResults } from '../src/results/results.ts'
import { commandFigures } from './commands.ts'
import { dayFigures } from './day.ts'
import { type Figure, median } from './figure.ts'
import { floor } from './floor.ts'
import { realLimiters } from './limiter-real.ts'
import { limiterStudy } from './limiter-study.ts'
import { loadFigures } from './load.ts'
import { MemoryWatch } from './memory.ts'
import { reportFigures } from './report.ts'

// Measures a whole run of the command on the embedded provider, the report of a long history, commands that send
// nothing, the reading of a day of events, and the pacing of load probes, each beside the least it could take; and how
// well limiters are told apart. About ten minutes.
//   npm run bench [-- ROUNDS]

const rounds = Number(process.argv[2] ?? 3)
const out = await mkdtemp(join(tmpdir(), 'plumbline-bench-'))

/** The command as a user runs it, the provider included. */
function plumbline(...words: string[]): Promise<number> {
  const started = performance.now()
  const child = spawn(process.execPath, [join(projectRoot, 'bin', 'plumbline.mjs'), ...words], {
    stdio: 'ignore',
  })
  return new Promise((resolve, reject) => {
    child.once('exit', (code) =>
      code === 0
        ? resolve(performance.now() - started)
        : reject(new Error(`plumbline ended with code ${code}`)),
    )
  })
}

async function latest(): Promise<RunResults> {
  return JSON.parse(await readFile(join(out, 'latest', 'results.json'), 'utf8')) as RunResults
}

const runs: number[] = []
const floors: number[] = []
const reports: number[] = []
const peaks: number[] = []
let used: RunResults['budget'] | undefined
// Side by side, round for round: the machine's mood is the same for both halves of a ratio.
for (let round = 0; round < rounds; round += 1) {
  const memory = new MemoryWatch()
  runs.push(await plumbline('check', '--no-report', '--out', out))
  peaks.push(memory.stop())
  used = (await latest()).budget
  const provider = await startProvider()
  floors.push(await floor(provider, used.requests, used.logins))
  await provider.close()
  const started = performance.now()
  await plumbline('report', join(out, 'latest'))
  reports.push(performance.now() - started)
}
await rm(out, { recursive: true, force: true })

const seconds = (milliseconds: number) => Math.round(milliseconds / 10) / 100
const ratio = Math.round(median(runs.map((run, round) => run / (floors[round] ?? 1))) * 100) / 100
const figures: Figure[] = [
  {
    figure: 'run without the report',
    value: seconds(median(runs)),
    unit: 's',
    aim: '< 8',
    holds: median(runs) < 8000,
  },
  {
    figure: 'the report alone',
    value: seconds(median(reports)),
    unit: 's',
    aim: '<= 2',
    holds: median(reports) <= 2000,
  },
  {
    figure: 'requests',
    value: used?.requests ?? 0,
    unit: 'requests',
    aim: '<= 300',
    holds: (used?.requests ?? 0) <= 300,
  },
  {
    figure: 'logins with a typed password',
    value: used?.logins ?? 0,
    unit: 'logins',
    aim: '<= 10',
    holds: (used?.logins ?? 0) <= 10,
  },
  { figure: 'peak memory of all processes', value: Math.max(...peaks), unit: 'MiB', aim: null, holds: null },
  {
    figure: 'bare floor: same requests and logins',
    value: seconds(median(floors)),
    unit: 's',
    aim: null,
    holds: null,
  },
  { figure: 'run against the floor', value: ratio, unit: 'ratio', aim: '< 2', holds: ratio < 2 },
  ...(await reportFigures(rounds)),
  ...(await commandFigures(rounds)),
  ...(await dayFigures(rounds)),
  ...(await loadFigures()),
  ...(await realLimiters(() => undefined)),
  ...(await limiterStudy(1, console.log)),
]
console.log(
  `Median of ${rounds} rounds, each measured beside its floor in turn; a run includes the start of Node, provider and browser.\n`,
)
for (const { figure, value, unit, aim, holds } of figures) {
  const verdict = aim === null ? '' : `aim ${aim}: ${holds ? 'holds' : 'missed'}`
  console.log(`  ${figure.padEnd(46)} ${String(value).padStart(8)} ${unit.padEnd(9)} ${verdict}`)
}
await mkdir(join(projectRoot, 'reports'), { recursive: true })
await writeFile(join(projectRoot, 'reports', 'bench.json'), `${JSON.stringify(figures, null, 2)}\n`)
