import { join } from 'node:path'
import type { CatalogueRequirement } from '../check/catalogue.ts'
import type { CheckResult, Observation } from '../check/result.ts'
import { countVerdicts, requirementVerdict } from '../check/verdict.ts'
import type { Exchange } from '../evidence/exchange.ts'
import type { BudgetUsed } from '../http/budget.ts'
import { version } from '../project.ts'
import { SetupError } from '../target/problem.ts'
import { inconclusiveResult, recordOf } from './check-record.ts'
import { followersOfViolations, rootCauses } from './dependencies.ts'
import {
  type CheckRecord,
  formatVersion,
  type RequirementFacts,
  type RequirementResult,
  type RunResults,
} from './results.ts'
import { createRunDirectory, newRunId, runFiles } from './run-directory.ts'
import { writeAtomically } from './stored-file.ts'

export interface SelectedRequirement extends RequirementFacts {
  /** Why the requirement has no check; null if it has checks. */
  readonly reason: string | null
  /** Names of the checks, as in `CheckResult.name`. */
  readonly checks: readonly string[]
}

/** @param checks names of the selected checks of the requirement */
export function selectedWith(
  { id, area, section, level, statement, interpretation, reason }: CatalogueRequirement,
  checks: readonly string[],
): SelectedRequirement {
  const given = interpretation === undefined ? {} : { interpretation }
  return { id, area, section, level, statement, ...given, reason: reason ?? null, checks }
}

/** The facts of a run that are known before its first check. */
export interface RunFacts extends Omit<RunResults['run'], 'finishedAt' | 'completed'> {
  readonly requestCap: number
  readonly loginCap: number
}

/** Why checks have no result. */
export interface Stopped {
  readonly cause: 'environment' | 'harness'
  /** One sentence. */
  readonly reason: string
}

const notReached: Stopped = { cause: 'environment', reason: 'the run ended before this check began' }

interface Entry {
  readonly selected: SelectedRequirement
  checks: CheckRecord[]
}

/**
 * results.json of a run in progress. The file is written when the run starts, soon after every check, and at the end.
 * Each write replaces the file atomically, so that the file can be read at any time.
 */
export class ResultsFile {
  readonly directory: string
  readonly facts: RunFacts
  readonly #entries = new Map<string, Entry>()
  readonly #observations: Observation[] = []
  readonly #exchanges = new Map<number, Exchange>()
  #used: BudgetUsed = { requests: 0, logins: 0, throttled: 0 }
  #finishedAt: string | null = null
  #completed = false
  #writeTimer: NodeJS.Timeout | undefined
  /** Time of the last write, as `performance.now()` returns it. */
  #wroteAt = 0
  /** Duration of the last write. */
  #writeMs = 0

  constructor(directory: string, facts: RunFacts, requirements: readonly SelectedRequirement[]) {
    this.directory = directory
    this.facts = facts
    for (const selected of requirements) this.#entries.set(selected.id, { selected, checks: [] })
    this.write()
  }

  /**
   * Adds the result of a check, and writes the file soon.
   * @throws {Error} if the requirement is not selected
   */
  add(result: CheckResult, used: BudgetUsed = this.#used): CheckRecord {
    const record = this.#addRecord(result)
    this.#used = used
    this.#writeSoon()
    return record
  }

  /**
   * Ends the run: checks without a result become inconclusive, and the causes of dependent checks are corrected. Call
   * `write` afterwards.
   * @param stopped why the other checks have no result; by default, because the run ended before they began
   */
  finish(stopped?: Stopped): RunResults {
    const missing = this.#withoutResult()
    const { cause, reason } = stopped ?? notReached
    for (const check of missing) this.#addRecord(inconclusiveResult(check, cause, reason))
    this.#correctDependencies()
    this.#finishedAt = new Date().toISOString()
    this.#completed = stopped === undefined && missing.length === 0
    return this.results()
  }

  results(): RunResults {
    const { requestCap, loginCap, ...run } = this.facts
    const requirements = [...this.#entries.values()].map(requirementOf)
    return {
      formatVersion,
      run: { ...run, finishedAt: this.#finishedAt, completed: this.#completed },
      totals: countVerdicts(requirements),
      budget: { ...this.#used, requestCap, loginCap },
      observations: this.#observations,
      requirements,
      exchanges: [...this.#exchanges.values()].sort((a, b) => a.number - b.number),
    }
  }

  /** Names of the selected checks that have no result yet, by requirement. */
  #withoutResult(): { requirement: string; name: string }[] {
    return [...this.#entries.values()].flatMap(({ selected, checks }) =>
      selected.checks
        .filter((name) => !checks.some((check) => check.name === name))
        .map((name) => ({ requirement: selected.id, name })),
    )
  }

  /**
   * Corrects causes and dependencies at the end of the run. A check may end before the check that it depends on.
   * - Checks that follow from a violation get the cause `target`.
   * - Checks that depend on misconfigured checks get the cause `configuration`.
   * - Dependencies on requirements that hold are removed.
   */
  #correctDependencies(): void {
    const { requirements } = this.results()
    const followers = followersOfViolations(requirements)
    const holding = new Set<string>(
      requirements.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id),
    )
    this.#changeChecks((check) => ({
      ...check,
      ...(followers.has(check) && { cause: 'target' }),
      dependsOn: check.dependsOn.filter((id) => !holding.has(id)),
    }))
    const roots = rootCauses(this.results().requirements)
    this.#changeChecks((check) =>
      roots.get(check)?.cause === 'configuration' ? { ...check, cause: 'configuration' } : check,
    )
  }

  #changeChecks(change: (check: CheckRecord) => CheckRecord): void {
    for (const entry of this.#entries.values()) entry.checks = entry.checks.map(change)
  }

  #addRecord(result: CheckResult): CheckRecord {
    const entry = this.#entry(result.requirement)
    const record = recordOf(result, this.facts.target)
    // Restores the order of the run: Vitest may report two tests that end shortly after each other in the wrong order.
    const position = ({ name }: CheckRecord) => entry.selected.checks.indexOf(name)
    entry.checks = [...entry.checks, record].sort((a, b) => position(a) - position(b))
    for (const observation of result.observations)
      this.#observations.push({ ...observation, check: result.name })
    // Keeps the last copy of a shared exchange, because it is redacted with all secrets known by then.
    for (const exchange of result.exchanges) this.#exchanges.set(exchange.number, exchange)
    return record
  }

  #entry(id: string): Entry {
    const entry = this.#entries.get(id)
    if (!entry) throw new Error(`requirement ${id} was not selected for this run`)
    return entry
  }

  /** Delays writes so that they take at most a thirtieth of the time of the run: the file grows with every check. */
  #writeSoon(): void {
    const waitMs = this.#wroteAt + 29 * this.#writeMs - performance.now()
    if (waitMs <= 0) this.#tryToWrite()
    else this.#writeTimer ??= setTimeout(() => this.#tryToWrite(), waitMs).unref()
  }

  /** Ignores a failure, because the file is written again after the next check and at the end. */
  #tryToWrite(): void {
    try {
      this.write()
    } catch (error) {
      if (!(error instanceof SetupError)) throw error
    }
  }

  /**
   * Writes the current state, with one requirement and one exchange per line.
   * @throws {SetupError} if results.json cannot be written; its old content stays
   */
  write(): void {
    clearTimeout(this.#writeTimer)
    this.#writeTimer = undefined
    const started = performance.now()
    const { requirements, exchanges, ...others } = this.results()
    writeAtomically(
      join(this.directory, runFiles.results),
      `${JSON.stringify(others, null, 2).slice(0, -2)},\n  "requirements": ${listed(requirements)},\n  "exchanges": ${listed(exchanges)}\n}\n`,
    )
    this.#wroteAt = performance.now()
    this.#writeMs = this.#wroteAt - started
  }
}

function requirementOf({ selected, checks }: Entry): RequirementResult {
  const { reason, checks: expected, ...facts } = selected
  const isUnfinished = expected.length > checks.length
  const verdict = requirementVerdict(checks.map((check) => check.verdict))
  return {
    ...facts,
    verdict: isUnfinished && verdict !== 'fail' ? 'inconclusive' : verdict,
    reason: expected.length === 0 && checks.length === 0 ? (reason ?? 'it has no check yet') : null,
    checks,
  }
}

/** A JSON array with one item per line. */
function listed(items: readonly unknown[]): string {
  return `[\n${items.map((item) => `    ${JSON.stringify(item)}`).join(',\n')}\n  ]`
}

/**
 * Starts a run: creates its directory, with a results.json that lists the selected checks.
 * @param reportDir the folder of all runs
 * @param startedAt when the command started
 */
export function newRun(
  reportDir: string,
  known: Omit<RunFacts, 'id' | 'startedAt' | 'version'>,
  requirements: readonly SelectedRequirement[],
  startedAt: Date,
): ResultsFile {
  const id = newRunId(known.target, startedAt)
  const facts = { id, ...known, startedAt: startedAt.toISOString(), version }
  return new ResultsFile(createRunDirectory(reportDir, id), facts, requirements)
}
