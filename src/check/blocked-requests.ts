/**
 * Maximum number of accepted repetitions in a run, and of refused ones. When either is reached, the run repeats no
 * further request, and refusals count as those of the target.
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
