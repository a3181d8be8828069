import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processTree } from '../src/browser/memory-guard.ts'
import { folderVariable, startCommand } from './command.ts'
import { alive, processesWith } from './process-tree.ts'
import type { Attempt, Subject } from './subject.ts'

/** Maximum time in which the processes of a killed run must end, in milliseconds. */
const patienceMs = 5000
/** A signal is sent after a random time of at most this many milliseconds. */
const latestMs = 5000
/** One in this many signals is timed from the start of the command; all others, from the start of the run. */
const earlyOdds = 5

/** Runs that receive a signal at a random moment. */
export async function kills(): Promise<Subject> {
  const signals = ['SIGKILL', 'SIGTERM', 'SIGINT'] as const
  return {
    name: 'kills',
    promise: `A run that is killed leaves results that can be read, and no process after ${patienceMs / 1000} s.`,
    method:
      'The command checks the embedded provider, and receives a signal at a random moment of the run. After SIGTERM and SIGINT it must exit with 130.',
    attempts: new Map(signals.map((signal) => [signal, () => attempt(signal)])),
    parallel: 3,
    close: async () => {},
  }
}

/** Starts runs until one receives the signal before its end. */
async function attempt(signal: NodeJS.Signals): Promise<Attempt> {
  for (;;) {
    const outcome = await signalled(signal)
    if (outcome) return outcome
  }
}

/** @returns undefined if the run ended before the signal */
async function signalled(signal: NodeJS.Signals): Promise<Attempt | undefined> {
  await using run = startCommand(['check', '--no-report'], {})
  const isEarly = Math.random() * earlyOdds < 1
  while (!isEarly && !runOf(run.folder) && run.child.exitCode === null) await sleep(20)
  const afterMs = Math.round(Math.random() * latestMs)
  await sleep(afterMs)
  if (run.child.exitCode !== null) return undefined
  const hadBegun = runOf(run.folder) !== undefined
  // Renderers overwrite their environment, so only the tree finds them. Later processes are not in this tree.
  const tree = processTree(run.child.pid ?? 0)
  run.child.kill(signal)
  const { code } = await run.ended
  const survivors = await survivorsOf(() => [...tree, ...processesWith(folderVariable, run.folder)])
  const begun = runOf(run.folder)
  const readable = begun === undefined || isJson(join(begun, 'results.json'))
  // The command handles signals only after the run has started.
  const isCode = !hadBegun || code === (signal === 'SIGKILL' ? null : 130)
  const held = survivors === 0 && readable && isCode
  return {
    held,
    measured: `${afterMs} ms after the start of the ${isEarly ? 'command' : 'run'}: ${survivors} processes left, results ${readable ? (begun === undefined ? 'not begun' : 'readable') : 'damaged'}, exit code ${code}`,
  }
}

/** Number of processes that are alive after `patienceMs`. */
async function survivorsOf(processes: () => readonly number[]): Promise<number> {
  for (const until = performance.now() + patienceMs; ; await sleep(100)) {
    const survivors = alive(new Set(processes())).length
    if (survivors === 0 || performance.now() > until) return survivors
  }
}

/** The folder of the run; undefined until it begins. */
function runOf(folder: string): string | undefined {
  const runs = join(folder, 'reports/runs')
  const [name] = existsSync(runs) ? readdirSync(runs) : []
  return name === undefined ? undefined : join(runs, name)
}

function isJson(file: string): boolean {
  try {
    JSON.parse(readFileSync(file, 'utf8'))
    return true
  } catch {
    return false
  }
}
