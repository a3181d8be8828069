import { type AnsweredSearch, pagesToJudge } from '../../src/check/events/answered-search.ts'
import { type Expect, kindOf } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { Inconclusive } from '../../src/check/verdict.ts'
import type { SchemaDeviation } from '../../src/event-hub/schemas.ts'
import { queryInWords } from '../../src/event-hub/search.ts'

/** Makes a search the request that the finding of this check shows, and part of the evidence. */
export function showInFinding(
  { run, expect }: Pick<CheckContext, 'run' | 'expect'>,
  search: AnsweredSearch | undefined,
): void {
  if (!search) return
  expect.describeRequest(`a valid search with ${queryInWords(search.query)}`, search)
  run.recorder.useAsEvidence([search.exchange])
}

/** A handler that ignores a failed reading (for example, too few events) if the run already has pages to judge. */
export function ignoreIfPagesWereRead(run: CheckContext['run']): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Inconclusive) || pagesToJudge(run.searchLog.searches).length === 0) throw error
  }
}

/** Expects a page without deviations from its schema. @throws {Violation} */
export function expectNoProblem(expect: Expect, [problem]: readonly SchemaDeviation[]): void {
  const where = problem?.path ? `\`${problem.path}\`` : 'the page'
  expect.that(!problem, `${where} ${problem?.rule}`, `${where} is ${kindOf(problem?.value)}`)
}
