/** Most requests of a run that are sent again with success, and without: more refusals are those of the target. */
const most = 3

/** The requests of a run that received 403, and that were sent again because a gateway may have blocked them. */
export class BlockedRequests {
  #accepted = 0
  #refusedAgain = 0

  /** Whether a request that received 403 may be sent again. */
  get mayRepeat(): boolean {
    return this.#accepted < most && this.#refusedAgain < most
  }

  /** @param isRefusedAgain whether the repeated request received 403, too */
  record(isRefusedAgain: boolean): void {
    if (isRefusedAgain) this.#refusedAgain += 1
    else this.#accepted += 1
  }
}
