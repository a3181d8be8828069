/** A poller cannot go on, and would not by waiting. One sentence that says what is wrong and what to do. */
export class PollerStopped extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PollerStopped'
  }
}
