import { randomUUID } from 'node:crypto'
import type { Behaviour } from '../behaviour.ts'
import { type Answer, fieldsOf, jsonAnswer, type Received } from '../http.ts'

type Fields = Record<string, unknown>

/** Edits the body of a token response. */
export function onSuccess(
  { idp }: Behaviour,
  edit: (fields: Fields, received: Received, answer: Answer) => void,
): void {
  idp.answers.token.push((answer, received) => {
    const fields = fieldsOf(answer)
    if (answer.status === 200 && fields) edit(fields, received, answer)
  })
}

/** Edits an error of the token endpoint. */
export function onError(
  { idp }: Behaviour,
  edit: (fields: Fields, received: Received, answer: Answer) => void,
): void {
  idp.answers.token.push((answer, received) => {
    const fields = fieldsOf(answer)
    if (answer.status >= 400 && fields) edit(fields, received, answer)
  })
}

/**
 * Lets requests without client authentication pass for requests of the client that authenticated last, as a
 * provider does that finds the client through the code or refresh token.
 */
export function adoptLastClient(
  { idp }: Behaviour,
  lacksAuthentication: (form: URLSearchParams, received: Received) => boolean,
): void {
  let last: string | undefined
  idp.tokenRequest.push((form, received) => {
    if (!lacksAuthentication(form, received)) {
      last = received.headers.authorization ?? last
      return
    }
    form.delete('client_id')
    if (last) received.headers.authorization = last
  })
}

/** Tokens that stand for nothing: what a provider gives that does not look. */
export function tokensForNobody(): Answer {
  return jsonAnswer(200, {
    access_token: randomUUID(),
    token_type: 'bearer',
    expires_in: 900,
    scope: 'openid',
  })
}

export function grantType({ form }: Received): string | undefined {
  return form?.get('grant_type') ?? undefined
}
