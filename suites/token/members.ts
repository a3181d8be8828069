import { kindOf, quoted } from '../../src/check/expect.ts'

type Body = Readonly<Record<string, unknown>>

/** What is wrong with a member of a token response (section Token response); undefined where nothing is. */
export type MemberProblem = (body: Body) => string | undefined

/** An absent scope means that all was granted that was asked for (RFC 6749, 5.1). */
export const scopeProblem: MemberProblem = ({ scope }) =>
  scope === undefined || (typeof scope === 'string' && scope !== '') ? undefined : `it was ${kindOf(scope)}`

export const expiresInProblem: MemberProblem = ({ expires_in: lifetime }) =>
  Number.isInteger(lifetime) && Number(lifetime) > 0
    ? undefined
    : `it was ${typeof lifetime === 'number' ? lifetime : kindOf(lifetime)}`

export const tokenTypeProblem: MemberProblem = ({ token_type: type }) =>
  typeof type === 'string' && type.toLowerCase() === 'bearer' ? undefined : `it was ${quoted(type)}`
