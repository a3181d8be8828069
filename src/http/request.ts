/** A request to a target. It may hold secrets. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly url: URL
  readonly headers?: readonly (readonly [name: string, value: string])[]
  /** Form members in order, duplicates kept; sent as application/x-www-form-urlencoded. */
  readonly form?: readonly (readonly [name: string, value: string])[]
  /** A JSON object, sent as application/json. */
  readonly json?: Readonly<Record<string, unknown>>
  /** Exact bytes in place of `form`, for malformed bodies; `headers` has to name the media type. */
  readonly raw?: string
  /**
   * `reads` is retried after any transient failure. `once` changes something: it is retried only after a definite 429
   * or 503, which say that nothing was done. `never` leaves retries, and the wait before them, to the caller.
   */
  readonly repeat: 'reads' | 'once' | 'never'
  /** Uses a connection of its own, which closes afterwards. */
  readonly ownConnection?: boolean
  /** Most values that a JSON response may hold, where it is known to hold more than others. */
  readonly mostMembers?: number
  /** Longest wait in milliseconds, where the response is known to take longer than others. */
  readonly timeoutMs?: number
}
