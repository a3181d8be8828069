/** What one attempt showed. */
export interface Attempt {
  readonly held: boolean
  /** What was measured, in a few words. */
  readonly measured: string
}

/** A promise of Plumbline, and the ways to break it. */
export interface Subject {
  /** For `--only`. */
  readonly name: string
  readonly promise: string
  /** How it is tried, as a sentence. */
  readonly method: string
  /** Attempts by name, each made once in a round. */
  readonly attempts: ReadonlyMap<string, () => Promise<Attempt>>
  close(): Promise<void>
}
