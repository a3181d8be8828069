import type { TokenKind } from '../../src/check/tokens/issued-tokens.ts'

const names: Readonly<Record<TokenKind, string>> = { idToken: 'ID token', accessToken: 'access token' }

/** The request of a finding on a token: which request returned it. */
export function returnedBy(request: string, kind: TokenKind): string {
  return `${request}, which returned the ${names[kind]}`
}

export const codeExchange = 'the code exchange'
export const secondCodeExchange = 'the code exchange of the second login'
export const refresh = 'the first refresh'
