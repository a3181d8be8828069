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
  readonly #last: Shot[] = []
  #lost = 0

  /** @returns why the probe has to end; undefined where it may go on */
  see(shot: Shot): string | undefined {
    this.#last.push(shot)
    if (this.#last.length > memory) this.#last.shift()
    this.#lost = shot.status === undefined ? this.#lost + 1 : 0
    if (this.#lost >= tooManyLost)
      return `${this.#lost} requests in a row were not answered (the last: ${shot.failure})`
    const failed = this.#last.filter(({ status = 0 }) => status >= 500 && status !== 503).length
    if (failed >= tooManyErrors)
      return `${failed} of the last ${this.#last.length} answers were server errors`
    const slow = this.#last.filter((one) => latencyMs(one) > tooSlowMs).length
    if (this.#last.length === memory && slow > memory / 2)
      return `half of the last ${memory} answers took longer than ${tooSlowMs / 1000} s`
    return undefined
  }
}
