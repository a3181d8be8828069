/** A request to a target. It may contain secrets. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly url: URL
  readonly headers?: readonly (readonly [name: string, value: string])[]
  /** Form members in order, duplicates kept; sent as application/x-www-form-urlencoded. */
  readonly form?: readonly (readonly [name: string, value: string])[]
  /** A JSON object, sent as application/json. */
  readonly json?: Readonly<Record<string, unknown>>
  /** Exact body instead of `form`, for malformed bodies; `headers` must contain the media type. */
  readonly raw?: string
  /**
   * - `safe`, for requests that only read: retried after any transient failure.
   * - `after-429-or-503`, for requests that change something: retried only after a 429 or 503, because a target that
   *   responds so has normally not processed the request.
   * - `never`: never retried by the client; the caller decides.
   */
  readonly retry: 'safe' | 'after-429-or-503' | 'never'
  /** Whether the target may lack the endpoint. If so, a 501 is a response for the caller to judge, not a failure. */
  readonly mayBeMissing?: boolean
  /** Whether to use a separate connection, which closes afterwards. */
  readonly ownConnection?: boolean
  /** Maximum number of values in a JSON response; by default `responseLimits.members` (response-limits.ts). */
  readonly maxMembers?: number
  /** Time limit in milliseconds, in place of the default of the client. */
  readonly timeoutMs?: number
}
