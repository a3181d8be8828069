import type { HttpResponse } from '../http/response.ts'
import { bearerChallenges } from './challenge.ts'

interface KeptTokens {
  readonly accessToken: string
  readonly refreshToken: string | undefined
}

/**
 * Keeps the newest tokens of one user at one client. If a response has no refresh token, the previous one stays
 * (section Token: refresh).
 */
export class TokenKeeper {
  #accessToken: string
  #refreshToken: string | undefined
  readonly #send: (refreshToken: string) => Promise<HttpResponse>
  #refreshing: Promise<HttpResponse> | undefined

  /** @param send sends a refresh request */
  constructor(first: KeptTokens, send: (refreshToken: string) => Promise<HttpResponse>) {
    this.#accessToken = first.accessToken
    this.#refreshToken = first.refreshToken
    this.#send = send
  }

  get accessToken(): string {
    return this.#accessToken
  }

  get refreshToken(): string | undefined {
    return this.#refreshToken
  }

  /**
   * Refreshes the tokens, and stores the new ones before it returns the response. Concurrent callers share one request,
   * because each refresh may invalidate the refresh token of the others.
   * @returns undefined if there is no refresh token
   */
  refresh(): Promise<HttpResponse> | undefined {
    if (this.#refreshing) return this.#refreshing
    if (this.#refreshToken === undefined) return undefined
    this.#refreshing = this.#send(this.#refreshToken)
      .then((response) => {
        this.#keep(response)
        return response
      })
      .finally(() => {
        this.#refreshing = undefined
      })
    return this.#refreshing
  }

  /**
   * Refreshes several times, each time with the newest refresh token, until a refresh is refused.
   * @returns the last response; undefined if there is no refresh token
   */
  async refreshInARow(count: number): Promise<HttpResponse | undefined> {
    let response: HttpResponse | undefined
    for (let sent = 0; sent < count; sent += 1) {
      response = await this.refresh()
      if (response === undefined || response.status >= 400) break
    }
    return response
  }

  /**
   * Calls a resource with the newest access token. After the error invalid_token, refreshes the tokens and retries once
   * (section Bearer-token errors).
   * @returns the last response
   */
  async call(request: (accessToken: string) => Promise<HttpResponse>): Promise<HttpResponse> {
    const response = await request(this.#accessToken)
    if (!refusesToken(response)) return response
    const before = this.#accessToken
    await this.refresh()
    return this.#accessToken === before ? response : request(this.#accessToken)
  }

  #keep(response: HttpResponse): void {
    const accessToken = issuedAccessToken(response)
    if (accessToken === undefined) return
    this.#accessToken = accessToken
    this.#refreshToken = usableToken(response.object?.refresh_token) ?? this.#refreshToken
  }
}

/** The access token that a response of the token endpoint issues; undefined for any other response. */
export function issuedAccessToken({ status, object }: HttpResponse): string | undefined {
  const token = object?.access_token
  return status === 200 && typeof token === 'string' ? token : undefined
}

/** The value of a token in a response; undefined if it is not a non-empty string. */
export function usableToken(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Whether a response rejects the access token as invalid_token (RFC 6750, 3.1). */
export function refusesToken(response: HttpResponse): boolean {
  return (
    response.status === 401 &&
    bearerChallenges(response).some(({ parameters }) => parameters.error === 'invalid_token')
  )
}
