import { createHmac } from 'node:crypto'
import type Provider from 'oidc-provider'
import type { User } from '../deployment.ts'
import { type HttpRequest, type HttpResponse, htmlResponse } from '../http.ts'
import { userOf } from './accounts.ts'
import type { IdentityContext } from './context.ts'
import { errorPage } from './pages.ts'
import { ACCOUNT_PATH } from './paths.ts'

/** Maximum length of a given name, in characters. */
const MAX_NAME_LENGTH = 60

/** The page on which a signed-in user changes their given name. */
export function createAccountPage(provider: Provider, context: IdentityContext) {
  const { behaviour, deployment, seed } = context

  return async function handle(
    messages: Parameters<Provider['Session']['get']>[0],
    { method, query, form }: HttpRequest,
  ): Promise<HttpResponse> {
    const session = await provider.Session.get(messages)
    const user = session.accountId === undefined ? undefined : userOf(deployment, session.accountId)
    if (!user) return htmlResponse(401, errorPage('not signed in', 'Sign in from an application first.'))
    // Proves that the form was loaded in the same session.
    const token = createHmac('sha256', seed).update(`account form ${session.jti}`).digest('base64url')
    const view = { action: ACCOUNT_PATH, token, user: user.username, saved: false }
    if (method !== 'POST') {
      const saved = query.has('saved')
      return htmlResponse(200, behaviour.pages.account({ ...view, givenName: user.givenName, saved }))
    }
    if (form?.get('token') !== token)
      return htmlResponse(403, errorPage('form expired', 'Open your account page again.'))
    const givenName = form.get('given_name') ?? ''
    const error = save(user, givenName.trim(), context)
    if (error !== undefined) return htmlResponse(200, behaviour.pages.account({ ...view, givenName, error }))
    return {
      status: 303,
      headers: { location: `${ACCOUNT_PATH}?saved`, 'cache-control': 'no-store' },
      body: '',
    }
  }
}

/** @returns the error to show, if any */
function save(
  user: User,
  givenName: string,
  { behaviour, onClaimChanged }: IdentityContext,
): string | undefined {
  if (givenName === '' || givenName.length > MAX_NAME_LENGTH)
    return `A given name has 1 to ${MAX_NAME_LENGTH} characters.`
  const error = behaviour.givenNameError(user, givenName)
  if (error !== undefined) return error
  if (givenName === user.givenName || behaviour.discardsGivenName) return undefined
  user.givenName = givenName
  onClaimChanged(user, 'given_name', givenName)
  return undefined
}
