import type { HttpResponse } from '../http/response.ts'
import { bearerChallenges } from './challenge.ts'

/** Tokens as a token response brings them. */
interface KeptTokens {
  readonly accessToken: string
  readonly refreshToken: string | undefined
}

/** An answer to a call with an access token. */
export interface BearerAnswer {
  /** The last answer. */
  readonly response: HttpResponse
  /** The answer that made the keeper refresh, where one did. */
  readonly refused?: HttpResponse
}

/**
 * Keeps the newest tokens of one user of one client (section Token: refresh): a refresh token in an answer
 * replaces the one before, an absent one leaves it in place. Nobody else's tokens ever go in.
 */
export class TokenKeeper {
  #accessToken: string
  #refreshToken: string | undefined
  readonly #send: (refreshToken: string) => Promise<HttpResponse>
  #refreshing: Promise<HttpResponse> | undefined

  /** @param send asks the token endpoint for a refresh */
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
   * Refreshes, and keeps what comes before anybody looks at it. Whoever asks meanwhile gets the same answer:
   * refreshes at the same time would lose a race against each other.
   * @returns undefined where there is no refresh token
   */
  refresh(): Promise<HttpResponse> | undefined {
    if (this.#refreshing) return this.#refreshing
    if (this.#refreshToken === undefined) return undefined
    const refreshing = this.#send(this.#refreshToken)
      .then((response) => {
        this.#keep(response)
        return response
      })
      .finally(() => {
        this.#refreshing = undefined
      })
    this.#refreshing = refreshing
    return refreshing
  }

  /**
   * Calls a resource with the newest access token. Refused as invalid_token, it refreshes and asks again,
   * once (section Bearer-token errors).
   */
  async call(request: (accessToken: string) => Promise<HttpResponse>): Promise<BearerAnswer> {
    const response = await request(this.#accessToken)
    if (!refusesToken(response)) return { response }
    const before = this.#accessToken
    await this.refresh()
    if (this.#accessToken === before) return { response }
    return { response: await request(this.#accessToken), refused: response }
  }

  #keep(response: HttpResponse): void {
    const { access_token: accessToken, refresh_token: refreshToken } = response.object ?? {}
    if (response.status !== 200 || typeof accessToken !== 'string') return
    this.#accessToken = accessToken
    if (typeof refreshToken === 'string' && refreshToken !== '') this.#refreshToken = refreshToken
  }
}

/** Whether an answer refuses the access token as invalid_token (RFC 6750, 3.1). */
export function refusesToken(response: HttpResponse): boolean {
  return (
    response.status === 401 &&
    bearerChallenges(response).some(({ parameters }) => parameters.error === 'invalid_token')
  )
}
