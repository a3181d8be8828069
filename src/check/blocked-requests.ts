/**
 * After this number of repetitions that the target accepted, or that received 403 again, a run repeats no further
 * request. Each later 403 then counts as a refusal by the target.
 */
const maxRepeated = 3

/** Counts requests that received 403 and were repeated, because a gateway may have blocked them. */
export class BlockedRequests {
  #accepted = 0
  #refusedAgain = 0

  /** Whether the run may repeat another request that received 403. */
  get mayRepeat(): boolean {
    return this.#accepted < maxRepeated && this.#refusedAgain < maxRepeated
  }

  /** @param isRefusedAgain whether the repeated request received 403, too */
  record(isRefusedAgain: boolean): void {
    if (isRefusedAgain) this.#refusedAgain += 1
    else this.#accepted += 1
  }
}
