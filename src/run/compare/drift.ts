import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'jsonc-parser'
import { SetupError } from '../../target/problem.ts'
import type { RunResults } from '../results.ts'
import { earlierRuns, runFiles } from '../run-directory.ts'
import { readRun } from '../saved-run.ts'
import { selects } from '../selection.ts'
import { compare } from './compare.ts'
import type { Comparison } from './comparison.ts'

/** What a comparison comes to: behaviour of the target that changed, nothing, or nothing that can be said. */
export type DriftVerdict = 'drift' | 'none' | 'undecided'

/**
 * What a comparison says of the target. Requirements that come and go with Plumbline's version, and what
 * applies in one run only, are no change of its behaviour.
 */
export function driftVerdict({ changed, observations, undecided, alike }: Comparison): DriftVerdict {
  if (changed.length + observations.length > 0) return 'drift'
  return undecided.length > 0 || alike.requirements === 0 ? 'undecided' : 'none'
}

/**
 * How a run differs from the last one that can be compared with it: same target and kind, completed, and
 * looking at all that this one looked at.
 * @param runDirectory its place; earlier runs are those beside it
 * @returns undefined where the run was cut off, or there is no such run
 */
export function driftOf(runDirectory: string, results: RunResults): Comparison | undefined {
  if (!results.run.completed) return undefined
  for (const directory of earlierRuns(runDirectory)) {
    const earlier = canPrecede(headOf(directory), results) ? readable(directory) : undefined
    if (earlier && sharesChecks(earlier, results)) return compare(earlier, results)
  }
  return undefined
}

/** How much of a results.json holds what is said of the run as a whole. */
const headBytes = 65_536

/** `run` of a results.json without reading the rest of it, which can be megabytes. */
function headOf(directory: string): Partial<RunResults['run']> {
  const buffer = Buffer.alloc(headBytes)
  const file = openSync(join(directory, runFiles.results), 'r')
  try {
    const length = readSync(file, buffer)
    // The parser makes what it can of a text that ends early.
    return (parse(buffer.toString('utf8', 0, length)) as Partial<RunResults> | undefined)?.run ?? {}
  } finally {
    closeSync(file)
  }
}

function canPrecede(head: Partial<RunResults['run']>, { run, requirements }: RunResults): boolean {
  return (
    head.completed === true &&
    head.kind === run.kind &&
    head.target === run.target &&
    head.selection !== undefined &&
    requirements.every(selects(head.selection))
  )
}

/** Runs of probes choose probes and endpoints, which their selection does not tell. */
function sharesChecks(earlier: RunResults, { run, requirements }: RunResults): boolean {
  if (run.kind === 'check') return true
  const made = new Set(earlier.requirements.flatMap(({ id, checks }) => checks.map(({ name }) => id + name)))
  return requirements.some(({ id, checks }) => checks.some(({ name }) => made.has(id + name)))
}

/** An earlier run that is broken or of another format is no reason to end this one badly. */
function readable(directory: string): RunResults | undefined {
  try {
    return readRun(directory)
  } catch (error) {
    if (error instanceof SetupError) return undefined
    throw error
  }
}
