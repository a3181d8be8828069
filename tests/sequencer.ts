import type { TestSpecification } from 'vitest/node'
import { SuiteSequencer } from '../src/run/vitest/suite-sequencer.ts'

/** The test files that take longest: most run for half a minute and more. */
export const longest = [
  'tests/load/limiter.test.ts',
  'tests/cli/interrupted.test.ts',
  'tests/load/probe-orders.test.ts',
  'tests/load/hostile-run.test.ts',
  'tests/docs/commands.test.ts',
  'tests/run/claim-change.test.ts',
  'tests/cli/by-hand.test.ts',
  'tests/run/runners.test.ts',
  'tests/browser/report.test.ts',
  'tests/siege/targets.test.ts',
  'tests/cli/record-login.test.ts',
  'tests/load/odd-answers.test.ts',
  'tests/cli/doctor-mistakes.test.ts',
  'tests/load/probe-run.test.ts',
  'tests/browser/patience.test.ts',
  'tests/load/dimension.test.ts',
  'tests/load/several-grids.test.ts',
  'tests/browser/throttled-login.test.ts',
  'tests/browser/late-answers.test.ts',
  'tests/browser/first-page.test.ts',
  'tests/recording/record-login.test.ts',
  'tests/browser/login-journeys.test.ts',
  'tests/docs/pipelines.test.ts',
  'tests/http/endpoint-circuit.test.ts',
]

/**
 * Starts the longest test files first, so that none of them is still running when all others have ended. Vitest itself
 * knows durations only from an earlier run.
 */
export class Sequencer extends SuiteSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = longest.findIndex((file) => moduleId.endsWith(`/${file}`))
      return index < 0 ? longest.length : index
    }
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}
