import { type Deployment, subjectFor } from './deployment.ts'
import { type HttpRequest, headerValue } from './http.ts'

/** The client id in a request: from X-Client-Id, Basic authentication, the parameter client_id or the access token. */
export function clientOf({ headers, form, query }: HttpRequest): string | undefined {
  const partner = headerValue(headers, 'x-client-id')
  if (partner) return partner
  const basic = /^basic (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (basic) return Buffer.from(basic, 'base64').toString().split(':')[0] || undefined
  return form?.get('client_id') ?? query.get('client_id') ?? tokenClaim(headers.authorization, 'client_id')
}

/** Returns a function that finds the account of a request: by the user name of a login, or the subject of a token. */
export function accountFinder(seed: string, { applications, users }: Deployment) {
  const accounts = new Map<string, string>()
  for (const { account, username } of users) {
    accounts.set(username, account)
    // An account has one subject in each Sphere.
    for (const { sphere } of applications) accounts.set(subjectFor(seed, sphere, account), account)
  }
  return ({ headers, form }: HttpRequest): string | undefined =>
    accounts.get(form?.get('username') ?? tokenClaim(headers.authorization, 'sub') ?? '')
}

/** A claim of the access token in an Authorization header, without verification. */
function tokenClaim(authorization: string | undefined, claim: string): string | undefined {
  const payload = /^bearer [^.\s]+\.([^.\s]+)\./i.exec(authorization ?? '')?.[1]
  if (!payload) return undefined
  try {
    const value = JSON.parse(Buffer.from(payload, 'base64url').toString())[claim]
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
