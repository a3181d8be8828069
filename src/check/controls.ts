/** Maximum age of an accepted control, in milliseconds. Checks that expect a refusal repeat an older control. */
const lifetimeMs = 60_000

/** A valid request, from which a checked request differs by its flaw. */
type Control =
  | 'discovery'
  | 'authorization'
  | 'authorization of the second application'
  | 'code exchange'
  | 'refresh'
  | 'userinfo'
  | 'event search'

/** When the target last accepted each control of a run. */
export class Controls {
  /** In milliseconds since the epoch. */
  readonly #lastWorked = new Map<Control, number>()

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
