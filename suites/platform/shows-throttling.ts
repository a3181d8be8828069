import type { HttpResponse } from '../../src/http/response.ts'

/**
 * Whether a response that throttles shows that the request exceeded a limit. With 503, the error of a throttled request
 * alone does not: overload and maintenance have it, too (section Errors). A text about an exceeded limit shows it, or a description
 * that the target sends with 429, too.
 * @param received every response of the run with this error
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
