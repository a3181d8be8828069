/** A check that expects a refusal repeats a control that is older than this, in milliseconds. */
const lifetimeMs = 60_000

/** A valid request that the checked requests differ from. */
type Control =
  | 'discovery'
  | 'authorization'
  | 'authorization of the second application'
  | 'code exchange'
  | 'refresh'
  | 'userinfo'
  | 'event search'

/** When each control of a run last worked. */
export class Controls {
  /** When each control was last accepted, in milliseconds since the epoch. */
  readonly #lastWorked = new Map<Control, number>()

  /** Records that a control has just been accepted. */
  worked(name: Control): void {
    this.#lastWorked.set(name, Date.now())
  }

  hasWorked(name: Control): boolean {
    return this.#lastWorked.has(name)
  }

  /** Whether a control has worked within the last minute. */
  isRecent(name: Control): boolean {
    return this.hasWorked(name) && !this.isStale(name)
  }

  /** Whether a control has worked, but too long ago to judge a refusal. */
  isStale(name: Control): boolean {
    const last = this.#lastWorked.get(name)
    return last !== undefined && Date.now() - last > lifetimeMs
  }
}
