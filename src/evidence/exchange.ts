/**
 * A request and its response without secrets. Values outside the allow-list are recorded only as type, length or keyed
 * digest.
 */
export interface Exchange {
  /** Position in the run, from 1. */
  readonly number: number
  /** Milliseconds since the epoch at which the request was sent. */
  readonly sentAt: number
  readonly durationMs: number
  /** `http`: sent by the HTTP client; `browser`: sent by a page, or with the cookies of a browser window. */
  readonly by: 'http' | 'browser'
  readonly request: {
    readonly method: string
    /** Address with query; values outside the allow-list are masked. */
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    /** The members of a form with masked values; for other bodies, the shape of the JSON or a description. */
    readonly body?: readonly string[]
  }
  readonly response?: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body?: BodyShape
  }
  /** The response is a copy of one that an earlier page received; no request was sent. */
  readonly fromMemory?: true
  /** Plumbline blocked this request of a page. */
  readonly notSent?: true
  /** Why there is no response. */
  readonly failure?: string
  /** The same request as a curl command with variables in place of secrets. */
  readonly curl?: string
}

export interface BodyShape {
  readonly mediaType: string
  readonly bytes: number
  /** Shape of a JSON body; absent for others. */
  readonly json?: unknown
  /** The member `error` of an OAuth error; masked unless it is harmless. */
  readonly error?: string
}

/** Whether a response is from the service itself, and not from a gateway: 2xx with JSON or a JWT. */
export function isServiceResponse({ status, body }: NonNullable<Exchange['response']>): boolean {
  return status < 300 && /json|jwt/.test(body?.mediaType ?? '')
}

/**
 * Whether a gateway, and not the service, may have refused a request: 403 without JSON, since refusals of the service
 * have JSON. A 403 with Retry-After is throttling.
 */
export function isGatewayRefusal({ status, headers, body }: NonNullable<Exchange['response']>): boolean {
  return status === 403 && headers['retry-after'] === undefined && !/json/.test(body?.mediaType ?? '')
}
