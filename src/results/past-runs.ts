import { basename, join } from 'node:path'
import { isSelection } from '../check/selection.ts'
import { SetupError } from '../target/problem.ts'
import { type TargetName, targetNames } from '../target/profiles.ts'
import { isObject } from '../text/json.ts'
import type { RequirementResult, RunResults } from './results.ts'
import { earlierRuns, runDirectories, runFiles } from './run-directory.ts'
import { readRun } from './saved-run.ts'
import { readStoredJson } from './stored-file.ts'

/**
 * The parts of results.json that describe a run and its verdicts. If results.json is unusable, members may be missing
 * or wrong; only the selection is validated.
 */
interface RunHead {
  readonly formatVersion?: unknown
  readonly run?: Partial<RunResults['run']>
  readonly requirements?: readonly Partial<RequirementResult>[]
}

/** A run on disk, which may be damaged or have another format. Plumbline reads it on first use. */
export class PastRun {
  readonly id: string
  readonly directory: string
  #head: RunHead | undefined
  #results: RunResults | false | undefined

  constructor(directory: string) {
    this.directory = directory
    this.id = basename(directory)
  }

  /** Empty if the run cannot be read. */
  get head(): RunHead {
    this.#head ??= this.results ?? this.#readHead()
    return this.#head
  }

  /** The results without the exchanges, to save memory; undefined if the run is unusable. */
  get results(): RunResults | undefined {
    this.#results ??= this.#withoutExchanges()
    return this.#results || undefined
  }

  /** The results with the exchanges, read again on each call; undefined if the run is unusable. */
  readAll(): RunResults | undefined {
    try {
      return readRun(this.directory)
    } catch (error) {
      if (error instanceof SetupError) return undefined
      throw error
    }
  }

  /** Whether the name of the run contains the target, as run ids do. */
  isNamedAfter(target: TargetName): boolean {
    return this.id.includes(`-${target}-`)
  }

  /** Whether the run may have this target, because its name contains no other target. */
  mayHaveTarget(target: TargetName): boolean {
    return targetNames.every((name) => name === target || !this.isNamedAfter(name))
  }

  #readHead(): RunHead {
    try {
      const value = readStoredJson(join(this.directory, runFiles.results))
      if (!isObject(value)) return {}
      const { formatVersion, run, requirements } = value
      return {
        formatVersion,
        ...(isObject(run) && { run: withValidSelection(run) }),
        ...(Array.isArray(requirements) && { requirements: requirements.filter(isObject) }),
      }
    } catch {
      return {}
    }
  }

  #withoutExchanges(): RunResults | false {
    const results = this.readAll()
    return results ? { ...results, exchanges: [] } : false
  }
}

function withValidSelection({ selection, ...run }: Record<string, unknown>): Partial<RunResults['run']> {
  return isSelection(selection) ? { ...run, selection } : run
}

/** The runs in the same folder that began earlier, newest first. */
export function runsBefore(runDirectory: string): PastRun[] {
  return earlierRuns(runDirectory).map((directory) => new PastRun(directory))
}

/** The runs in a folder of reports, newest first. */
export function runsIn(reportDir: string): PastRun[] {
  try {
    return runDirectories(join(reportDir, 'runs')).map((directory) => new PastRun(directory))
  } catch {
    return []
  }
}
