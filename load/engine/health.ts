import { latencyMs, type Shot } from './shot.ts'

/** Latest shots that count. */
const windowSize = 20
/** Server errors among them that are too many; 503 is throttling. */
const tooManyErrors = 5
/** Requests in a row without a response that are too many. */
const tooManyLost = 3
/** Latency that at most half of them may exceed, in milliseconds. */
const tooSlowMs = 5_000

/** Watches how the target bears a probe: a target that fails or slows down is not sent more load. */
export class TargetHealth {
  readonly #latest: { readonly isError: boolean; readonly isSlow: boolean }[] = []
  #lost = 0

  /** @returns why the probe has to end; undefined where it may go on */
  check(shot: Shot): string | undefined {
    const { status = 0 } = shot
    this.#latest.push({ isError: status >= 500 && status !== 503, isSlow: latencyMs(shot) > tooSlowMs })
    if (this.#latest.length > windowSize) this.#latest.shift()
    this.#lost = shot.status === undefined ? this.#lost + 1 : 0
    if (this.#lost >= tooManyLost)
      return `${this.#lost} requests in a row were not answered (the last: ${shot.failure})`
    const count = this.#latest.length
    const errors = this.#latest.filter(({ isError }) => isError).length
    if (errors >= tooManyErrors) return `${errors} of the last ${count} answers were server errors`
    const slow = this.#latest.filter(({ isSlow }) => isSlow).length
    if (count === windowSize && slow > windowSize / 2)
      return `half of the last ${windowSize} answers took longer than ${tooSlowMs / 1000} s`
    return undefined
  }
}
