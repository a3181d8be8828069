import type { CheckContext } from '../../src/check/fixtures.ts'
import type { AnsweredSearch } from '../../src/event-hub/answered-search.ts'
import { queryInWords } from '../../src/event-hub/search.ts'

/** States a search as the request of the finding, and adds it to the evidence. */
export function judging(
  { run, expect }: Pick<CheckContext, 'run' | 'expect'>,
  search: AnsweredSearch | undefined,
) {
  if (!search) return
  expect.sending(`a valid search with ${queryInWords(search.query)}`)
  run.recorder.recall([search.exchange])
}
