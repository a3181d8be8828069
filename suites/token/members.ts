import { kindOf, quoted } from '../../src/check/expect.ts'

type Body = Readonly<Record<string, unknown>>

/** The actual value of an invalid member of a token response (section Token response); undefined if it is valid. */
export type MemberProblem = (body: Body) => string | undefined

/** An absent scope means that all requested scopes were granted (RFC 6749, 5.1). */
export const scopeProblem: MemberProblem = ({ scope }) =>
  scope === undefined || (typeof scope === 'string' && scope !== '') ? undefined : `scope: ${kindOf(scope)}`

export const expiresInProblem: MemberProblem = ({ expires_in: lifetime }) =>
  Number.isInteger(lifetime) && Number(lifetime) > 0
    ? undefined
    : `expires_in: ${typeof lifetime === 'number' ? lifetime : kindOf(lifetime)}`

export const tokenTypeProblem: MemberProblem = ({ token_type: type }) =>
  typeof type === 'string' && type.toLowerCase() === 'bearer' ? undefined : `token_type: ${quoted(type)}`
