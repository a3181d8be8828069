import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { projectRoot } from '../src/project.ts'
import { assetFigures } from './assets.ts'
import { commandFigures } from './commands.ts'
import { dayFigures } from './day.ts'
import { installFigures } from './install.ts'
import { realLimiters } from './limiter-real.ts'
import { limiterStudy } from './limiter-study.ts'
import { loadFigures } from './load.ts'
import { reportFigures } from './report.ts'
import { runFigures } from './run.ts'
import { testFigures } from './tests.ts'

// Measures runs, reports, commands, the reading of a day of events, the pacing of load probes, and how well limiters
// are identified. Some figures are compared with a lower bound. Takes about 10 min.
//   npm run bench [-- ROUNDS]

const rounds = Number(process.argv[2] ?? 3)
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error(`ROUNDS is ${process.argv[2]}, but must be a positive integer.`)
  process.exit(3)
}
const figures = [
  ...(await runFigures(rounds)),
  ...(await assetFigures()),
  ...(await installFigures()),
  ...(await commandFigures(rounds)),
  ...testFigures(),
  ...(await reportFigures(rounds)),
  ...(await dayFigures(rounds)),
  ...(await loadFigures()),
  ...(await realLimiters(console.log)),
  ...(await limiterStudy(1, console.log)),
]
console.log(
  `Median of ${rounds} rounds, each measured in turn with its lower bound; a run includes the start of Node, provider and browser.\n`,
)
for (const { figure, value, unit, aim, holds } of figures) {
  const verdict = aim === null ? '' : `aim ${aim}: ${holds ? 'holds' : 'missed'}`
  console.log(`  ${figure.padEnd(50)} ${String(value).padStart(8)} ${unit.padEnd(9)} ${verdict}`)
}
await mkdir(join(projectRoot, 'reports'), { recursive: true })
await writeFile(join(projectRoot, 'reports', 'bench.json'), `${JSON.stringify(figures, null, 2)}\n`)
