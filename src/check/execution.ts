import type { Exchange } from '../evidence/exchange.ts'
import { Expect } from './expect.ts'
import type { BasisDetails, Note, Observation } from './result.ts'

/** Keys with this prefix record whether the target behaves as a `reference` requirement describes. */
const referencePrefix = 'reference.'
type ReferenceBehaviour = 'as described' | 'different'

/** Whether an observation records behaviour that differs from a `reference` requirement. */
export function isDifference({ key, value }: Pick<Observation, 'key' | 'value'>): boolean {
  return key.startsWith(referencePrefix) && value === ('different' satisfies ReferenceBehaviour)
}

/**
 * One execution of a check: its expectations, and what it records. The functions that fixtures give to checks are
 * properties, so that checks can destructure them.
 */
export class CheckExecution {
  readonly notes: Note[] = []
  readonly observations: Observation[] = []
  /** Recorded requests and responses that the verdict is based on; some are from before the check. */
  readonly evidence: Exchange[] = []
  /** Amounts of data that the verdict is based on: `{ events: 120 }`. */
  readonly basisCounts: Record<string, number> = {}
  /** What else the verdict is based on, such as `secondsSince`. */
  basisDetails: BasisDetails = {}
  /** The error that ended the check early; undefined if it completed. */
  thrown: unknown
  readonly #requirement: string
  readonly #closers: (() => Promise<void>)[] = []

  constructor(requirement: string) {
    this.#requirement = requirement
  }

  /** Adds a note, which changes no verdict. Equal texts are kept once. */
  readonly note = (text: string): void => {
    if (!this.notes.some((note) => note.text === text)) this.notes.push({ text })
  }

  readonly expect = new Expect(this.note)

  /** Records behaviour that the specification does not define; compared between runs, never judged. */
  readonly observe = (key: string, value: Observation['value']): void => {
    this.observations.push({ key, value, requirement: this.#requirement })
  }

  /** Records whether behaviour is as the `reference` requirement describes; see `isDifference`. */
  observeReference(behaviour: ReferenceBehaviour): void {
    this.observe(`${referencePrefix}${this.#requirement}`, behaviour)
  }

  /** Records what the verdict is based on; later counts and details replace earlier ones of the same name. */
  readonly basis = (counts: Readonly<Record<string, number>>, details: BasisDetails = {}): void => {
    Object.assign(this.basisCounts, counts)
    this.basisDetails = { ...this.basisDetails, ...details }
  }

  /** Registers a function to call when the check ends, last registered first. A failed call changes no verdict. */
  onClose(close: () => Promise<void>): void {
    this.#closers.unshift(close)
  }

  async close(): Promise<void> {
    for (const close of this.#closers) await close().catch(() => undefined)
  }
}
