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

  /** Records that the target has accepted a control now. */
  worked(name: Control): void {
    this.#lastWorked.set(name, Date.now())
  }

  /** Whether the target has accepted a control in this run, however long ago. */
  hasWorked(name: Control): boolean {
    return this.#lastWorked.has(name)
  }

  /** Whether the target has accepted a control within the last minute. */
  isRecent(name: Control): boolean {
    return this.hasWorked(name) && !this.isStale(name)
  }

  /** Whether the target has accepted a control, but too long ago to judge a refusal. False if it never has. */
  isStale(name: Control): boolean {
    const last = this.#lastWorked.get(name)
    return last !== undefined && Date.now() - last > lifetimeMs
  }
}
