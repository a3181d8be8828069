import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningProvider, startProvider } from '../provider/index.ts'
import { processTree } from '../src/browser/memory-guard.ts'
import type { RunResults } from '../src/results/results.ts'
import { type StartedCommand, startCommand } from './command.ts'
import { alive } from './process-tree.ts'
import type { Attempt, Subject } from './subject.ts'

/** A condition under which a run cannot write. */
interface Trouble {
  /** A line of `sh` that executes the command. */
  readonly shell?: string
  readonly variables?: Readonly<Record<string, string>>
  /** Prepares the folder of the reports. */
  readonly prepare?: (reports: string) => void
  /** Permitted exit codes. */
  readonly codes: readonly number[]
  /** Whether the run completes. */
  readonly completes: boolean
}

const checkArgs = (selection: readonly string[]) => ['check', '--only', ...selection]
const selection = ['DISCOVERY-*', 'KEYSET-*', 'AUTHZ-CODE-FLOW', 'TOKEN-CODE-EXCHANGE', 'EVENT-*']

const mount = (...options: string[]) => execFileSync('mount', ['-t', 'tmpfs', ...options], { stdio: 'pipe' })

/** Only root may mount. */
const isRoot = process.getuid?.() === 0
const mounted: Readonly<Record<string, Trouble>> = isRoot
  ? {
      'a disk of 64 KiB': {
        prepare: (reports) => mount('-o', 'size=64k', 'tmpfs', reports),
        codes: [3],
        completes: false,
      },
      'a disk of 400 KiB': {
        prepare: (reports) => mount('-o', 'size=400k', 'tmpfs', reports),
        codes: [0, 3],
        completes: false,
      },
      'a folder that is read-only': {
        prepare: (reports) => mount('-o', 'ro', 'tmpfs', reports),
        codes: [3],
        completes: false,
      },
    }
  : {}

const troubles: Readonly<Record<string, Trouble>> = {
  ...mounted,
  'files of at most 64 KiB': { shell: 'ulimit -f 128; exec "$@"', codes: [3], completes: false },
  'no folder for temporary files': { variables: { TMPDIR: '/nowhere' }, codes: [0, 3], completes: false },
  'a closed standard output': { shell: 'exec "$@" >&-', codes: [0], completes: true },
  'a closed standard output and error': { shell: 'exec "$@" >&- 2>&-', codes: [0], completes: true },
  'a full standard output': { shell: 'exec "$@" >/dev/full', codes: [3], completes: false },
  'a full standard error': { shell: 'exec "$@" 2>/dev/full', codes: [0], completes: true },
}

/** Runs that cannot write their files or output. */
export async function durable(): Promise<Subject> {
  const provider = await startProvider()
  return {
    name: 'durable',
    promise:
      'Whatever prevents a run from writing, results.json is valid and as complete as possible, nothing is left behind, and the next run is unaffected. Tried: no disk space, no writable folder, no temporary files, no output, another run in the same folder.',
    method: `The command runs under each of these conditions, and then normally.${isRoot ? '' : ' Disks were not tried: only root may mount.'}`,
    attempts: new Map([
      ...Object.entries(troubles).map(([name, trouble]) => [name, () => attempt(provider, trouble)] as const),
      ['two runs at once in one folder', () => attemptTwo(provider)],
    ]),
    close: () => provider.close(),
  }
}

async function attempt(
  provider: RunningProvider,
  { shell, variables = {}, prepare, codes, completes }: Trouble,
): Promise<Attempt> {
  let reports = ''
  const variablesOf = (folder: string) => {
    reports = join(folder, 'reports')
    mkdirSync(reports)
    prepare?.(reports)
    return { REPORT_DIR: reports }
  }
  const options = { variablesOf, ...(shell !== undefined && { shell }) }
  await using run = startCommand(checkArgs(selection), { ...provider.variables, ...variables }, options)
  try {
    const { code, survivors } = await ending(run)
    const runs = runsIn(reports)
    const problems = [
      ...(codes.includes(code ?? -1) ? [] : ['unexpected exit code']),
      ...(survivors > 0 ? [`${survivors} processes left`] : []),
      ...runs.filter((each) => each === undefined).map(() => 'damaged results'),
      ...(completes && (runs.length !== 1 || !runs[0]?.run.completed) ? ['results are not complete'] : []),
      ...leftovers(reports),
      ...(await nextRun(provider)),
    ]
    const decided = runs.map((each) => each?.requirements.filter(({ checks }) => checks.length > 0).length)
    return {
      held: problems.length === 0,
      measured: [
        `exit code ${code ?? 'none'}`,
        `${decided.join(' + ') || 'no'} requirements`,
        ...problems,
      ].join(', '),
    }
  } finally {
    if (prepare) execFileSync('umount', ['--lazy', reports])
  }
}

async function attemptTwo(provider: RunningProvider): Promise<Attempt> {
  const independent = checkArgs(['DISCOVERY-*', 'KEYSET-*', 'EVENT-SEARCH', 'AUTHZ-CODE-FLOW'])
  await using first = startCommand(independent, provider.variables)
  const REPORT_DIR = join(first.folder, 'reports')
  await using second = startCommand(independent, { ...provider.variables, REPORT_DIR })
  const ended = await Promise.all([ending(first), ending(second)])
  const runs = runsIn(REPORT_DIR)
  const held =
    ended.every(({ code, survivors }) => code === 0 && survivors === 0) &&
    runs.length === 2 &&
    runs.every((each) => each?.run.completed) &&
    existsSync(join(REPORT_DIR, 'latest/results.json')) &&
    leftovers(REPORT_DIR).length === 0
  return { held, measured: `exit codes ${ended.map(({ code }) => code).join(' and ')}, ${runs.length} runs` }
}

/** Waits for the end of a run. @returns `survivors`: number of its processes that are alive 5 s later */
async function ending(
  run: StartedCommand,
): Promise<{ readonly code: number | null; readonly survivors: number }> {
  const seen = new Set<number>()
  const timer = setInterval(() => {
    for (const id of processTree(run.child.pid ?? 0)) seen.add(id)
  }, 200)
  const { code } = await run.ended
  clearInterval(timer)
  for (let waited = 0; waited < 50 && alive(seen).length > 0; waited += 1) await sleep(100)
  return { code, survivors: alive(seen).length }
}

/** The results of all runs in a folder of reports; undefined for damaged results. */
function runsIn(reports: string): (RunResults | undefined)[] {
  const runs = join(reports, 'runs')
  if (!existsSync(runs)) return []
  const files = readdirSync(runs).map((id) => join(runs, id, 'results.json'))
  return files.filter(existsSync).map((file) => {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as RunResults
    } catch {
      return undefined
    }
  })
}

/** Temporary files that a run did not delete. */
function leftovers(reports: string): string[] {
  const names = existsSync(reports) ? readdirSync(reports, { recursive: true }).map(String) : []
  return names.filter((name) => /\.tmp$|latest\.\d+$/.test(name)).map((name) => `left ${name}`)
}

async function nextRun(provider: RunningProvider): Promise<string[]> {
  await using run = startCommand(['check', '--no-report', '--only', 'DISCOVERY-PUBLIC'], provider.variables)
  const { code } = await run.ended
  return code === 0 ? [] : [`exit code ${code} of the next run`]
}
