import { latencyMs, type Shot } from './shot.ts'

/** Number of latest shots to consider. */
const windowSize = 20
/** Number of server errors among them that ends the probe; 503 counts as throttling. */
const tooManyErrors = 5
/** Number of consecutive requests without a response that ends the probe. */
const tooManyLost = 3
/** The probe ends when half of the shots exceed this latency, in milliseconds. */
const tooSlowMs = 5_000

/** Monitors the target during a probe, to stop the load if the target fails or slows down. */
export class TargetHealth {
  readonly #latest: { readonly isError: boolean; readonly isSlow: boolean }[] = []
  #lost = 0

  /** @returns why the probe must end; undefined if it may continue */
  check(shot: Shot): string | undefined {
    const { status = 0 } = shot
    this.#latest.push({ isError: status >= 500 && status !== 503, isSlow: latencyMs(shot) > tooSlowMs })
    if (this.#latest.length > windowSize) this.#latest.shift()
    this.#lost = shot.status === undefined ? this.#lost + 1 : 0
    if (this.#lost >= tooManyLost)
      return `${this.#lost} consecutive requests had no response (the last: ${shot.failure})`
    const count = this.#latest.length
    const errors = this.#latest.filter(({ isError }) => isError).length
    if (errors >= tooManyErrors) return `${errors} of the last ${count} responses were server errors`
    const slow = this.#latest.filter(({ isSlow }) => isSlow).length
    if (count === windowSize && slow > windowSize / 2)
      return `half of the last ${windowSize} responses took longer than ${tooSlowMs / 1000} s`
    return undefined
  }
}
