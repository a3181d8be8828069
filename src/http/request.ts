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
   * `safe` is for requests that only read: they are retried after any transient failure. `after-429-or-503` is for
   * requests that change something: they are retried only after these statuses, which normally mean that the target did
   * nothing. `never` leaves retries, and the wait before them, to the caller.
   */
  readonly retry: 'safe' | 'after-429-or-503' | 'never'
  /** Whether the target may lack the endpoint: then 501 is a response to judge, not a failure. */
  readonly mayBeMissing?: boolean
  /** Uses a separate connection, which closes afterwards. */
  readonly ownConnection?: boolean
  /** Most values that a JSON response may contain, if that is more than usual. */
  readonly maxMembers?: number
  /** Time limit in milliseconds, if the response takes longer than usual. */
  readonly timeoutMs?: number
}
