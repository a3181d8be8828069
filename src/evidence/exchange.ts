/**
 * A request and its response without secrets, as evidence. Values that src/evidence/allow-list.ts does not permit
 * appear only as type, length or keyed digest.
 */
export interface Exchange {
  /** Position among the exchanges of the run, from 1. */
  readonly number: number
  /** Milliseconds since the epoch at which the request was sent. */
  readonly sentAt: number
  readonly durationMs: number
  /** `http`: sent by the HTTP client. `browser`: sent by a page, or by Plumbline with the page's cookies. */
  readonly by: 'http' | 'browser'
  readonly request: {
    readonly method: string
    /** Address with query; values that the allow-list does not permit are masked. */
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    /**
     * For a form, its members, with values masked as in `url`. For another body, one text: the names and types of the
     * JSON, or a description.
     */
    readonly body?: readonly string[]
  }
  readonly response?: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body?: BodyShape
  }
  /** No request was sent: the response is a copy of a script or style sheet that an earlier page received. */
  readonly fromMemory?: true
  /** Plumbline blocked this request of a page, so it has no response. */
  readonly notSent?: true
  /** Why there is no response. */
  readonly failure?: string
  /** The same request as a curl command with variables in place of secrets. */
  readonly curl?: string
}

export interface BodyShape {
  readonly mediaType: string
  readonly bytes: number
  /** The JSON body with types in place of values; absent for other bodies. */
  readonly json?: unknown
  /** The member `error` of a JSON body, masked unless it consists of a few words like the error names of OAuth. */
  readonly error?: string
}

/**
 * Whether a response is certainly from the service itself, and not from a gateway (a proxy or firewall in front of
 * it): 2xx with JSON or a JWT.
 */
export function isServiceResponse({ status, body }: NonNullable<Exchange['response']>): boolean {
  return status < 300 && /json|jwt/.test(body?.mediaType ?? '')
}

/**
 * Whether a gateway, and not the service, may have refused a request: 403 without JSON, since the service refuses
 * with JSON. A 403 with Retry-After is excluded, because it throttles.
 */
export function isGatewayRefusal({ status, headers, body }: NonNullable<Exchange['response']>): boolean {
  return status === 403 && headers['retry-after'] === undefined && !/json/.test(body?.mediaType ?? '')
}
