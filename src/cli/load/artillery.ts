import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { exportArtillery } from '../../../load/artillery/export.ts'
import { importArtillery } from '../../../load/artillery/import.ts'
import { probeCheck } from '../../../load/probe-check.ts'
import { newProbeRun } from '../../../load/run-probes.ts'
import { workloadOf } from '../../../load/workload.ts'
import { writeReports } from '../../report/report.ts'
import { type TargetOptions, withTarget } from '../../run/chosen-target.ts'
import { exitCodeOfRun } from '../../run/exit-code.ts'
import { reportDirectory } from '../../run/report-directory.ts'
import { targetNameFrom } from '../../target/environment.ts'
import { type Problem, SetupError } from '../../target/problem.ts'
import type { Target } from '../../target/target.ts'

export interface ArtilleryOptions extends TargetOptions {
  readonly endpoint?: readonly string[]
  readonly export?: string
  readonly workers?: string
  readonly seconds?: string
}

/** `plumbline probe --export artillery`: writes a scenario for several machines or addresses; sends nothing. */
export async function exportScenario(options: ArtilleryOptions): Promise<number> {
  if (options.export !== 'artillery')
    throw new SetupError({
      name: '--export',
      what: `is ${options.export}, but the only supported tool is artillery`,
      example: 'artillery',
    })
  const { out: directory = 'artillery', ...targetOptions } = options
  return withTarget(targetOptions, async (target: Target) => {
    const { endpoints } = workloadOf(target, {
      ...(options.endpoint && { endpoint: options.endpoint }),
      probe: ['hold'],
    })
    const [endpoint, ...others] = endpoints
    if (endpoint === undefined || others.length > 0)
      throw new SetupError({
        name: '--endpoint',
        what: 'must name exactly one endpoint',
        example: 'event-search',
      })
    const share = exportArtillery(resolve(directory), target, {
      endpoint,
      workers: numberOf('--workers', options.workers, 1),
      seconds: numberOf('--seconds', options.seconds, target.load.maxSeconds),
    })
    process.stdout.write(
      `${relative(process.cwd(), resolve(directory)) || '.'}/probe.yml: ${share.arrivalCount} requests in ${share.seconds} s per worker, at most ${share.arrivalCount * share.workers} in total. README.md there describes how to run it.\n`,
    )
    return 0
  })
}

/** `plumbline probe --import`: writes a run with a chart from the records of Artillery workers; sends nothing. */
export async function importRecords(paths: readonly string[], options: ArtilleryOptions): Promise<number> {
  const problems: Problem[] = []
  const files = paths.flatMap((name) => {
    try {
      return [{ name, text: readFileSync(name, 'utf8') }]
    } catch (error) {
      problems.push({
        name: '--import',
        what: `cannot read ${name} (${(error as NodeJS.ErrnoException).code})`,
      })
      return []
    }
  })
  if (problems.length > 0) throw new SetupError(problems)
  const result = importArtillery(files)
  const file = await newProbeRun({
    probes: [result],
    // The records do not name the target, which is usually uat.
    target: targetNameFrom(options.target ?? process.env.TARGET ?? 'uat'),
    hosts: [],
    reportDir: resolve(options.out ?? reportDirectory()),
    requestCap: result.requests,
    loginCap: 0,
    judging: [],
  })
  const endTimes = result.shots.map(({ endedAt }) => endedAt)
  file.add(
    await probeCheck(result, {
      directory: file.directory,
      durationMs: endTimes.reduce((latest, endedAt) => Math.max(latest, endedAt), 0),
      exchanges: [],
      reproduce: `npx plumbline probe --import ${paths.join(' ')}`,
    }),
    {
      requests: result.requests,
      logins: 0,
      throttled: result.shots.filter(({ status }) => status === 429).length,
    },
  )
  const results = file.finish()
  file.write()
  const report = await writeReports(file.directory)
  process.stdout.write(`${result.finding}\n`)
  if (report !== undefined) process.stdout.write(`Report: ${relative(process.cwd(), report)}\n`)
  return exitCodeOfRun(results)
}

function numberOf(option: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value)) return value
  throw new SetupError({
    name: option,
    what: `is ${JSON.stringify(text)}, which is not a number`,
    example: String(fallback),
  })
}
