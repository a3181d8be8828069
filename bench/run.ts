import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedProvider } from '../src/embedded/embedded-provider.ts'
import type { RunResults } from '../src/results/results.ts'
import { plumbline } from './command.ts'
import { type Figure, figure, median } from './figure.ts'
import { floor } from './floor.ts'
import { MemoryWatch } from './memory.ts'

/** Figures of a whole run against the embedded provider, compared with the lower bound of its requests and logins. */
export async function runFigures(rounds: number): Promise<Figure[]> {
  const out = await mkdtemp(join(tmpdir(), 'plumbline-bench-'))
  const [runs, reports, floors, ratios, peaks]: [number[], number[], number[], number[], number[]] = [
    [],
    [],
    [],
    [],
    [],
  ]
  let budget = { requests: 0, logins: 0 }
  // Each round measures run and floor, so that the load of the machine is the same for both values of a ratio.
  for (let round = 0; round < rounds; round += 1) {
    const memory = new MemoryWatch()
    runs.push(await plumbline(['check', '--no-report', '--out', out]))
    peaks.push(memory.stop())
    const results: RunResults = JSON.parse(await readFile(join(out, 'latest', 'results.json'), 'utf8'))
    budget = results.budget
    const provider = await startEmbeddedProvider([])
    const bare = (await floor(provider.variables, results.exchanges, budget.logins)) / 1000
    await provider.close()
    floors.push(bare)
    ratios.push(secondsInChecks(results) / bare)
    reports.push(await plumbline(['report', join(out, 'latest')]))
  }
  await rm(out, { recursive: true, force: true })
  return [
    figure('run on the embedded provider, without the report', median(runs), 's', 5),
    figure('bare floor: the same requests and logins', median(floors), 's'),
    figure('time inside the checks / bare floor', median(ratios), 'ratio', 2),
    figure('report of that run', median(reports), 's', 2),
    figure('requests', budget.requests, 'requests', 250),
    figure('logins with a typed password', budget.logins, 'logins', 4),
    figure('peak memory of all processes', Math.max(...peaks), 'MiB'),
  ]
}

/** Total duration of the checks of a run, in seconds. */
function secondsInChecks({ requirements }: RunResults): number {
  const checks = requirements.flatMap((requirement) => requirement.checks)
  return checks.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000
}
