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
  /** Attempts under way at a time; 1 by default. */
  readonly parallel?: number
  /** Expected outcomes as a Markdown table. @param held whether each attempt held, by name */
  readonly table?: (held: ReadonlyMap<string, boolean>) => string
  close(): Promise<void>
}
