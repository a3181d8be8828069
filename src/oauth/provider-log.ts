import type { HttpResponse } from '../http/response.ts'
import type { Application } from '../target/target.ts'
import type { Form } from './form.ts'
import { issuedAccessToken } from './token-keeper.ts'

/** A response of the token endpoint with an access token. */
interface IssuedTokens {
  readonly form: Form
  /** The application whose configured credentials the request has; undefined if it has other credentials, or none. */
  readonly application?: Application
  readonly response: HttpResponse
}

/** Responses of the provider in a run, in order. */
export class ProviderLog {
  readonly issued: IssuedTokens[] = []
  readonly tokenRefusals: HttpResponse[] = []
  /** Refusals of wrong client credentials, with the id of the application whose credentials a check altered. */
  readonly failedAuthentications: { readonly applicationId: string; readonly response: HttpResponse }[] = []
  readonly userinfoUses: { readonly accessToken: string; readonly response: HttpResponse }[] = []
  readonly keySets: HttpResponse[] = []

  addToken(form: Form, application: Application | undefined, response: HttpResponse): void {
    if (response.status >= 400) this.tokenRefusals.push(response)
    if (issuedAccessToken(response) !== undefined)
      this.issued.push({ form, ...(application && { application }), response })
  }

  /** The access token of the UserInfo request with this response; undefined if the request had none. */
  bearerOf(response: HttpResponse): string | undefined {
    return this.userinfoUses.find((use) => use.response === response)?.accessToken
  }

  /**
   * When an access or ID token was received, in milliseconds since the epoch; undefined if the run received no such
   * token.
   */
  receivedAt(token: string): number | undefined {
    const issued = this.issued.find(({ response: { object } }) =>
      [object?.access_token, object?.id_token].includes(token),
    )
    return issued?.response.receivedAt
  }
}
