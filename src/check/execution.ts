import type { Exchange } from '../evidence/exchange.ts'
import { Expect } from './expect.ts'
import type { Note, Observation } from './result.ts'
import { Inconclusive, type InconclusiveOptions, NotApplicable } from './verdict.ts'

/** One execution of a check: what it asserts and records. Its functions are properties, so that checks can destructure. */
export class CheckExecution {
  readonly notes: Note[] = []
  readonly observations: Observation[] = []
  /** Exchanges that the verdict rests on, shared ones included. */
  readonly evidence: Exchange[] = []
  readonly basisCounts: Record<string, number> = {}
  /** What ended the check early; undefined where it ran to its end. */
  thrown: unknown
  readonly #requirement: string
  readonly #closers: (() => Promise<void>)[] = []

  constructor(requirement: string) {
    this.#requirement = requirement
  }

  /** Something worth knowing that changes no verdict. The same text is kept once. */
  readonly note = (text: string): void => {
    if (!this.notes.some((note) => note.text === text)) this.notes.push({ text })
  }

  readonly expect = new Expect(this.note)

  /** Records behaviour the specification is silent about; compared between runs, never judged. */
  readonly observe = (key: string, value: Observation['value']): void => {
    this.observations.push({ key, value, requirement: this.#requirement })
  }

  /** Key of the observation that says whether behaviour is as described for reference. */
  get referenceKey(): string {
    return `reference.${this.#requirement}`
  }

  /** How much data the verdict rests on. */
  readonly basis = (counts: Readonly<Record<string, number>>): void => {
    Object.assign(this.basisCounts, counts)
  }

  /**
   * States the least data the check needs.
   * @throws {Inconclusive} where there is less
   */
  readonly needs = (count: number, least: number, what: string, options: InconclusiveOptions = {}): void => {
    if (count < least) {
      throw new Inconclusive(`needs at least ${least} ${what}, but there were ${count}`, options)
    }
  }

  readonly inconclusive = (reason: string, options?: InconclusiveOptions): never => {
    throw new Inconclusive(reason, options)
  }

  readonly notApplicable = (
    reason: string,
    cause?: ConstructorParameters<typeof NotApplicable>[1],
  ): never => {
    throw new NotApplicable(reason, cause)
  }

  /** Runs when the check ends. A failure to close changes nothing about what was found. */
  onClose(close: () => Promise<void>): void {
    this.#closers.unshift(close)
  }

  async close(): Promise<void> {
    for (const close of this.#closers) await close().catch(() => undefined)
  }
}
