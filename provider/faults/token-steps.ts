import type { Behaviour } from '../behaviour.ts'
import { type Answer, fieldsOf, type Received } from '../http.ts'

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

export function grantType({ form }: Received): string | undefined {
  return form?.get('grant_type') ?? undefined
}
