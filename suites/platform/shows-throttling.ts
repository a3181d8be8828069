import type { HttpResponse } from '../../src/http/response.ts'

/**
 * Whether a throttled response shows that the request exceeded a limit. The error of a 503 is no proof, because
 * overload and maintenance have the same error (section Errors). A text that states an exceeded limit, or a
 * description that the target also sends with 429, is proof.
 * @param received every throttled response of the run
 */
export function showsThrottling(response: HttpResponse, received: readonly HttpResponse[]): boolean {
  if (response.status !== 503 || response.statesExceededLimit) return true
  const description = descriptionOf(response)
  if (description === undefined) return false
  return received.some((other) => other.status === 429 && descriptionOf(other) === description)
}

function descriptionOf({ object }: HttpResponse): string | undefined {
  const description = object?.error_description
  return typeof description === 'string' ? description : undefined
}
