import type { HttpResponse } from '../http/response.ts'
import type { Application } from '../target/target.ts'
import type { Form } from './form.ts'
import { issuedAccessToken } from './token-keeper.ts'

/** A response of the token endpoint with tokens. */
interface IssuedTokens {
  readonly form: Form
  /** The application that sent the request with its own credentials; undefined for other credentials, or none. */
  readonly application?: Application
  readonly response: HttpResponse
}

/** The responses of the provider in a run, in order. */
export class ProviderLog {
  readonly issued: IssuedTokens[] = []
  /** Refusals of the token endpoint. */
  readonly tokenRefusals: HttpResponse[] = []
  /** Refusals of credentials that are not configured, with the application that they resemble. */
  readonly failedAuthentications: { readonly applicationId: string; readonly response: HttpResponse }[] = []
  /** Requests to UserInfo with an access token. */
  readonly userinfoUses: { readonly accessToken: string; readonly response: HttpResponse }[] = []
  readonly keySets: HttpResponse[] = []

  /** Adds a response of the token endpoint. */
  addToken(form: Form, application: Application | undefined, response: HttpResponse): void {
    if (response.status >= 400) this.tokenRefusals.push(response)
    if (issuedAccessToken(response) !== undefined)
      this.issued.push({ form, ...(application && { application }), response })
  }

  /** The bearer credential of the request to UserInfo with this response; undefined if it had none. */
  bearerOf(response: HttpResponse): string | undefined {
    return this.userinfoUses.find((use) => use.response === response)?.accessToken
  }

  /** When a token was received, in milliseconds since the epoch; undefined for a token that no response contains. */
  receivedAt(token: string): number | undefined {
    const issued = this.issued.find(({ response: { object } }) =>
      [object?.access_token, object?.id_token].includes(token),
    )
    return issued?.response.receivedAt
  }
}
