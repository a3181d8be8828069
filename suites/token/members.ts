import { kindOf, quotedOrMasked } from '../../src/check/expect.ts'
import { counted } from '../../src/text/format.ts'

type Body = Readonly<Record<string, unknown>>

/** The actual value of an invalid member of a token response (section Token response); undefined if it is valid. */
export type MemberProblem = (body: Body) => string | undefined

/** An absent scope is valid, and means that all requested scopes were granted (RFC 6749, 5.1). */
export const scopeProblem: MemberProblem = ({ scope }) =>
  scope === undefined || (typeof scope === 'string' && scope !== '') ? undefined : `scope: ${kindOf(scope)}`

export const expiresInProblem: MemberProblem = ({ expires_in: lifetime }) =>
  Number.isInteger(lifetime) && Number(lifetime) > 0
    ? undefined
    : `expires_in: ${typeof lifetime === 'number' ? lifetime : kindOf(lifetime)}`

export const tokenTypeProblem: MemberProblem = ({ token_type: type }) =>
  typeof type === 'string' && type.toLowerCase() === 'bearer'
    ? undefined
    : `token_type: ${quotedOrMasked(type)}`

/** The problem with the separators of several scopes; undefined if the scope is absent or not a string. */
export function separatorProblem({ scope }: Body, requested: string): string | undefined {
  if (typeof scope !== 'string' || scope === '') return undefined
  const scopes = scope.split(' ')
  // A requested scope that is in the text, but not as a whole element, shows another separator.
  const notSeparated = requested.split(' ').filter((one) => scope.includes(one) && !scopes.includes(one))
  if (notSeparated.length > 0)
    return `${counted(notSeparated.length, 'requested scope')} with another separator`
  const areScopes = scopes.every((one) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(one))
  return areScopes ? undefined : 'empty scopes, or characters outside of RFC 6749, 3.3'
}
