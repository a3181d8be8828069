import { basename, join } from 'node:path'
import { SetupError } from '../target/problem.ts'
import { isObject } from '../text/json.ts'
import type { RequirementResult, RunResults } from './results.ts'
import { earlierRuns, runDirectories, runFiles } from './run-directory.ts'
import { readRun } from './saved-run.ts'
import { readStoredJson } from './stored-file.ts'

/** The unvalidated head of a results.json. */
interface RunHead {
  readonly formatVersion?: unknown
  readonly run?: Partial<RunResults['run']>
  readonly requirements?: readonly Partial<RequirementResult>[]
}

/** A run on disk that may be damaged or of another format. It is read once, on first use. */
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
    this.#head ??= this.#readHead()
    return this.#head
  }

  /** The results without the exchanges, which are most of the file; undefined if the run is unusable. */
  get results(): RunResults | undefined {
    this.#results ??= this.#readResults()
    return this.#results || undefined
  }

  #readHead(): RunHead {
    try {
      const value = readStoredJson(join(this.directory, runFiles.results))
      if (!isObject(value)) return {}
      const { formatVersion, run, requirements } = value
      return {
        formatVersion,
        ...(isObject(run) && { run }),
        ...(Array.isArray(requirements) && { requirements: requirements.filter(isObject) }),
      }
    } catch {
      return {}
    }
  }

  #readResults(): RunResults | false {
    try {
      return { ...readRun(this.directory), exchanges: [] }
    } catch (error) {
      if (error instanceof SetupError) return false
      throw error
    }
  }
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
