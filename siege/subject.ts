/** The result of one attempt. */
export interface Attempt {
  readonly held: boolean
  /** The measurements: `exit code 2, 14 secrets, 3 files`. */
  readonly measured: string
}

/** A promise of Plumbline, and the attempts to break it. */
export interface Subject {
  /** As in `--only`. */
  readonly name: string
  readonly promise: string
  /** How the attempts work, as a sentence. */
  readonly method: string
  /** Attempts by name. */
  readonly attempts: ReadonlyMap<string, () => Promise<Attempt>>
  /** Number of concurrent attempts; 1 by default. */
  readonly parallel?: number
  /** Expected outcomes as a Markdown table. @param held whether each attempt held, by name */
  readonly table?: (held: ReadonlyMap<string, boolean>) => string
  close(): Promise<void>
}
