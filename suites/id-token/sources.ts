import type { Kind } from './rules.ts'

const names: Readonly<Record<Kind, string>> = { idToken: 'ID token', accessToken: 'access token' }

/** The request of a finding on a token: which request returned it. */
export function returnedBy(request: string, kind: Kind): string {
  return `${request}, which returned the ${names[kind]}`
}

export const codeExchange = 'the code exchange'
export const secondCodeExchange = 'the code exchange of the second login'
export const refresh = 'the first refresh'
