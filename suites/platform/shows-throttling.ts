import type { HttpResponse } from '../../src/http/response.ts'

/** Phrases with which a service states that a caller has exceeded a limit. */
const limitPhrases = /\b(?:too many requests|rate[ -]?limit\w*|throttl\w*|quotas?)\b/i

/**
 * Whether a response with the error of a throttled request shows that the request was throttled. With 503, the error alone
 * does not: overload and maintenance have it, too (section Errors). Its description shows it if it states a limit, or if
 * the target sends the same one with 429.
 * @param received every response of the run with this error
 */
export function showsThrottling(response: HttpResponse, received: readonly HttpResponse[]): boolean {
  if (response.status !== 503) return true
  const description = descriptionOf(response)
  if (description === undefined) return false
  return (
    limitPhrases.test(description) ||
    received.some((other) => other.status === 429 && descriptionOf(other) === description)
  )
}

function descriptionOf({ object }: HttpResponse): string | undefined {
  const description = object?.error_description
  return typeof description === 'string' ? description : undefined
}
