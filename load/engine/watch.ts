import { latencyMs, type Shot } from './shot.ts'

/** Answers that are looked back upon. */
const memory = 20
/** Server errors among them that are too many; a 503 that throttles is none. */
const tooManyErrors = 5
/** Requests in a row without an answer that are too many. */
const tooManyLost = 3
/** Latency of which half of the last answers may not be worse, in milliseconds. */
const tooSlowMs = 5_000

/** Watches how the target bears a probe, and says when it should end: a probe must not push over what stumbles. */
export class Watch {
  readonly #last: { readonly isError: boolean; readonly isSlow: boolean }[] = []
  #errors = 0
  #slow = 0
  #lost = 0

  /** @returns why the probe has to end; undefined where it may go on */
  see(shot: Shot): string | undefined {
    const { status = 0 } = shot
    this.#count({ isError: status >= 500 && status !== 503, isSlow: latencyMs(shot) > tooSlowMs })
    this.#lost = shot.status === undefined ? this.#lost + 1 : 0
    if (this.#lost >= tooManyLost)
      return `${this.#lost} requests in a row were not answered (the last: ${shot.failure})`
    if (this.#errors >= tooManyErrors)
      return `${this.#errors} of the last ${this.#last.length} answers were server errors`
    if (this.#last.length === memory && this.#slow > memory / 2)
      return `half of the last ${memory} answers took longer than ${tooSlowMs / 1000} s`
    return undefined
  }

  #count(one: { readonly isError: boolean; readonly isSlow: boolean }): void {
    const gone = this.#last.length === memory ? this.#last.shift() : undefined
    this.#last.push(one)
    this.#errors += Number(one.isError) - Number(gone?.isError ?? false)
    this.#slow += Number(one.isSlow) - Number(gone?.isSlow ?? false)
  }
}
