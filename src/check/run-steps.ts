import type { RunContext } from './run-context.ts'

/**
 * Steps of checks in a run. Their methods share values through `RunContext.once`, with the method itself as the key.
 * @template Steps other steps that these steps use, or parts of the execution of a check
 */
export abstract class RunSteps<Steps extends object> {
  protected readonly run: RunContext
  protected readonly steps: Steps

  constructor(run: RunContext, steps: Steps) {
    this.run = run
    this.steps = steps
  }
}
