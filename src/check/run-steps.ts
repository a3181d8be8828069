import type { RunContext } from './run-context.ts'

/**
 * The base of classes whose methods send requests for checks. Methods that send a request once per run call
 * `RunContext.once`, with the method itself as the key.
 * @template Steps objects that the methods use: instances of other such classes, or parts of the execution of a check
 */
export abstract class RunSteps<Steps extends object> {
  protected readonly run: RunContext
  protected readonly steps: Steps

  constructor(run: RunContext, steps: Steps) {
    this.run = run
    this.steps = steps
  }
}
