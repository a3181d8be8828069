import { type Expect, kindOf } from '../../src/check/expect.ts'
import type { SchemaDeviation } from '../../src/event-hub/schemas.ts'

/** Expects a page without deviations from its schema. @throws {Violation} */
export function noProblem(expect: Expect, [problem]: readonly SchemaDeviation[]): void {
  const where = problem?.path ? `\`${problem.path}\`` : 'the page'
  expect.that(!problem, `${where} ${problem?.rule}`, `${where} is ${kindOf(problem?.value)}`)
}
