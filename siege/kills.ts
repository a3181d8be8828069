import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processTree } from '../src/browser/process-memory.ts'
import { startCommand } from './command.ts'
import { alive } from './process-tree.ts'
import type { Attempt, Subject } from './subject.ts'

/** How long processes may take to end, and the latest moment of a kill, in milliseconds. */
const [patienceMs, latestMs] = [5000, 9000]

/** Runs that are ended at a random moment. */
export async function kills(): Promise<Subject> {
  const signals = ['SIGKILL', 'SIGTERM', 'SIGINT'] as const
  return {
    name: 'kills',
    promise: `A run that is killed leaves results that can be read, and no process after ${patienceMs / 1000} s.`,
    method: 'The command checks the embedded provider and is sent a signal at a random moment.',
    attempts: new Map(signals.map((signal) => [signal, () => attempt(signal)])),
    close: async () => {},
  }
}

async function attempt(signal: NodeJS.Signals): Promise<Attempt> {
  await using run = startCommand(['check', '--no-report'], {})
  const afterMs = Math.round(Math.random() * latestMs)
  await sleep(afterMs)
  const tree = processTree(run.child.pid ?? 0)
  run.child.kill(signal)
  await run.ended
  const left = await remaining(tree)
  const file = join(run.folder, 'reports/latest/results.json')
  // Before it begins, a run has no folder.
  const begun = existsSync(join(run.folder, 'reports/runs'))
  const readable = !begun || (existsSync(file) && isJson(readFileSync(file, 'utf8')))
  const held = left === 0 && readable
  return {
    held,
    measured: `after ${afterMs} ms: ${left} processes left, results ${readable ? (begun ? 'readable' : 'not begun') : 'damaged'}`,
  }
}

async function remaining(tree: readonly number[]): Promise<number> {
  for (const until = performance.now() + patienceMs; ; await sleep(100)) {
    const left = alive(tree).length
    if (left === 0 || performance.now() > until) return left
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
