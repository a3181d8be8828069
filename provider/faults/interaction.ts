import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import {
  leadsToSecondApplication,
  PASSWORD_LEVEL,
  SECOND_APPLICATION_ID,
  SECOND_FACTOR_LEVEL,
} from '../deployment.ts'
import { editCallback } from '../edits.ts'
import { type HttpRequest, type HttpResponse, htmlResponse } from '../http.ts'
import { callbackOf } from '../identity/responses.ts'

function showPageInstead(matches: (callback: URL, request: HttpRequest) => boolean): Alter {
  return ({ idp }) =>
    idp.responses.authorization.push((response: HttpResponse, request) => {
      const callback = callbackOf(response, request)
      if (!callback || !matches(callback, request)) return
      const { status, body } = htmlResponse(
        200,
        '<!doctype html><title>One moment</title><p>Please wait.</p>',
      )
      delete response.headers.location
      response.headers['content-type'] = 'text/html; charset=utf-8'
      response.status = status
      response.body = body
    })
}

function renameErrorWhere(matches: (callback: URL) => boolean, to: string): Alter {
  return editCallback((callback) => {
    if (matches(callback)) callback.searchParams.set('error', to)
  })
}

/** Replaces one error code with another in redirects to the application. */
function renameError(from: string, to: string): Alter {
  return renameErrorWhere(({ searchParams }) => searchParams.get('error') === from, to)
}

function isDescribed(text: string): (callback: URL) => boolean {
  return ({ searchParams }) => searchParams.get('error_description')?.includes(text) ?? false
}

/** Whether the user cancelled on the login page. A cancellation on the consent page leads to the second application. */
function isLoginCancelled(callback: URL): boolean {
  return !leadsToSecondApplication(callback) && isDescribed('the user cancelled')(callback)
}

/** Ignores unknown levels, and writes the requested level into the ID token. */
function echoLevel(behaviour: Behaviour): void {
  const levels = new Map<string, string>()
  behaviour.idp.unknownAcr = 'ignore'
  editCallback(({ searchParams }, { query }) => {
    const level = query.get('acr_values') ?? query.get('auth_level')
    const code = searchParams.get('code')
    if (level !== null && code !== null) levels.set(code, level)
  })(behaviour)
  behaviour.idp.idToken.push(({ claims }, { form }) => {
    claims.acr = levels.get(form?.get('code') ?? '') ?? claims.acr
  })
}

function isSilent({ query }: HttpRequest): boolean {
  return query.get('prompt') === 'none'
}

const silent = [
  {
    name: 'prompt-none-shows-login',
    summary: 'Ignores `prompt=none`: without a session, it shows the login page.',
    violates: ['AUTHZ-PROMPT-NONE'],
    consequences: ['AUTHZ-PROMPT-NONE-CONSENT'],
    alter: ({ idp }: Behaviour) => idp.authorizationRequest.push((query) => query.delete('prompt')),
  },
  {
    name: 'prompt-none-explained-on-page',
    summary: 'Shows an error page for `prompt=none` without a session.',
    violates: ['AUTHZ-PROMPT-NONE'],
    alter: showPageInstead((callback) => callback.searchParams.get('error') === 'login_required'),
  },
  {
    name: 'prompt-none-error-unlisted',
    summary: 'Returns the error `not_signed_in` for `prompt=none` without a session.',
    violates: ['AUTHZ-PROMPT-NONE-ERROR'],
    alter: renameError('login_required', 'not_signed_in'),
  },
  {
    name: 'prompt-none-error-renamed',
    summary: 'Returns the error `invalid_request` for `prompt=none` without a session.',
    violates: ['AUTHZ-PROMPT-NONE-ERROR'],
    alter: renameError('login_required', 'invalid_request'),
  },
  {
    name: 'prompt-none-forgets-session',
    summary: 'Returns the error `login_required` for `prompt=none` even with a session.',
    violates: ['AUTHZ-PROMPT-NONE-SESSION'],
    alter: editCallback(({ searchParams }, request) => {
      if (!isSilent(request) || !searchParams.has('code')) return
      searchParams.delete('code')
      searchParams.set('error', 'login_required')
    }),
  },
  {
    name: 'prompt-none-greets',
    summary: 'Shows a page before the redirect for `prompt=none` with a session.',
    violates: ['AUTHZ-PROMPT-NONE-SESSION'],
    alter: showPageInstead((callback, request) => isSilent(request) && callback.searchParams.has('code')),
  },
  {
    name: 'prompt-none-shows-consent',
    summary: 'Shows a page for `prompt=none` before the user has consented.',
    violates: ['AUTHZ-PROMPT-NONE-CONSENT'],
    alter: showPageInstead((callback) => callback.searchParams.get('error') === 'consent_required'),
  },
  {
    name: 'prompt-none-consents',
    summary: 'Returns a code for `prompt=none` before the user has consented.',
    violates: ['AUTHZ-PROMPT-NONE-CONSENT'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.get('error') !== 'consent_required') return
      searchParams.delete('error')
      searchParams.set('code', 'c0de')
    }),
  },
  {
    name: 'prompt-none-gives-consent',
    summary: 'Gives consent on behalf of the user for `prompt=none`, and remembers it.',
    violates: ['AUTHZ-PROMPT-NONE-CONSENT'],
    alter: ({ idp }: Behaviour) =>
      idp.authorizationRequest.push((query) => {
        const isOfSecond = query.get('client_id') === SECOND_APPLICATION_ID
        if (isOfSecond && query.get('prompt') === 'none') idp.consent = 'never'
      }),
  },
  {
    name: 'consent-required-renamed',
    summary: 'Returns the error `access_denied` for `prompt=none` before the user has consented.',
    violates: ['AUTHZ-PROMPT-NONE-CONSENT-ERROR'],
    alter: renameError('consent_required', 'access_denied'),
  },
]

const cancellation = [
  {
    name: 'cancel-as-login-required',
    summary: 'Returns the error `login_required` after the user cancels.',
    violates: ['AUTHZ-USER-CANCEL-ERROR'],
    alter: (behaviour: Behaviour) => {
      behaviour.idp.cancelError = 'login_required'
    },
  },
  {
    name: 'cancel-unlisted',
    summary: 'Returns the error `user_cancelled` after the user cancels on the login page.',
    violates: ['AUTHZ-USER-CANCEL-ERROR'],
    alter: renameErrorWhere(isLoginCancelled, 'user_cancelled'),
  },
  {
    name: 'login-cancel-renamed',
    summary: 'Returns the error `invalid_request` after the user cancels on the login page.',
    violates: ['AUTHZ-USER-CANCEL-ERROR'],
    alter: renameErrorWhere(isLoginCancelled, 'invalid_request'),
  },
  {
    name: 'cancel-ends-on-page',
    summary: 'Shows a page after the user cancels instead of redirecting to the application.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: showPageInstead(
      (callback) =>
        callback.searchParams.get('error') === 'access_denied' &&
        callback.searchParams.get('error_description') === 'the user cancelled',
    ),
  },
  {
    name: 'cancel-ignored',
    summary: 'Returns a code after the user cancels on the login page.',
    violates: ['AUTHZ-USER-CANCEL'],
    alter: editCallback((url) => {
      if (!isLoginCancelled(url)) return
      url.searchParams.delete('error')
      url.searchParams.set('code', 'c0de')
    }),
  },
  {
    name: 'consent-refusal-renamed',
    summary: 'Returns the error `consent_required` after the user refuses consent.',
    violates: ['AUTHZ-CONSENT-REFUSED-ERROR'],
    alter: editCallback((url) => {
      const { searchParams } = url
      if (leadsToSecondApplication(url) && searchParams.get('error') === 'access_denied')
        searchParams.set('error', 'consent_required')
    }),
  },
  {
    name: 'consent-refusal-ignored',
    summary: 'Returns a code after the user refuses consent.',
    violates: ['AUTHZ-CONSENT-REFUSED'],
    alter: editCallback((url) => {
      const { searchParams } = url
      if (!leadsToSecondApplication(url) || searchParams.get('error') !== 'access_denied') return
      searchParams.delete('error')
      searchParams.set('code', 'c0de')
    }),
  },
]

const levels = [
  {
    name: 'level-required',
    summary: 'Returns the error `invalid_request` for a request without an authentication level.',
    violates: ['AUTHZ-LEVEL-OPTIONAL'],
    alter: editCallback(({ searchParams }, { query }) => {
      if (!query.has('client_id') || query.has('acr_values') || query.has('auth_level')) return
      searchParams.delete('code')
      searchParams.set('error', 'invalid_request')
    }),
  },
  {
    name: 'unmet-acr-renamed',
    summary: 'Returns the error `invalid_scope` for `acr_values` that it cannot meet.',
    violates: ['AUTHZ-ACR-UNMET'],
    alter: renameError('unmet_authentication_requirements', 'invalid_scope'),
  },
  {
    name: 'unreached-acr-as-login-required',
    summary: 'Returns the error `login_required` for a level that the login does not reach.',
    violates: ['AUTHZ-ACR-UNMET'],
    alter: renameErrorWhere(isDescribed('was not reached'), 'login_required'),
  },
  {
    name: 'unmet-acr-unlisted',
    summary: 'Returns the error `insufficient_authentication` for `acr_values` that it cannot meet.',
    violates: ['AUTHZ-ACR-UNMET'],
    alter: renameError('unmet_authentication_requirements', 'insufficient_authentication'),
  },
  {
    name: 'unmet-acr-as-page',
    summary: 'Returns a page with status 200 for `acr_values` that it cannot meet.',
    violates: ['AUTHZ-ACR-UNMET'],
    alter: showPageInstead(
      ({ searchParams }) => searchParams.get('error') === 'unmet_authentication_requirements',
    ),
  },
  {
    name: 'unreached-acr-lowered',
    summary:
      'Returns a code without asking for the second factor that `acr_values` requires; the ID token has the lower level.',
    violates: ['AUTHZ-ACR-LOWERED'],
    alter: ({ idp }: Behaviour) =>
      idp.authorizationRequest.push((query) => {
        if (query.get('acr_values') === SECOND_FACTOR_LEVEL) query.set('acr_values', PASSWORD_LEVEL)
      }),
  },
  {
    name: 'level-echoed',
    summary: 'Returns a code for any requested level, and copies that level to the `acr` of the ID token.',
    violates: ['AUTHZ-LEVEL-CLAIMED'],
    alter: echoLevel,
  },
  {
    name: 'unmet-auth-level-unlisted',
    summary: 'Returns the error `no_eligible_factor` for an `auth_level` for which the user has no factor.',
    violates: ['AUTHZ-AUTH-LEVEL-UNMET'],
    alter: renameErrorWhere(isDescribed('no factor'), 'no_eligible_factor'),
  },
  {
    name: 'unmet-auth-level-renamed',
    summary: 'Returns the error `invalid_request` for an `auth_level` for which the user has no factor.',
    violates: ['AUTHZ-AUTH-LEVEL-UNMET'],
    alter: renameErrorWhere(isDescribed('no factor'), 'invalid_request'),
  },
]

export const interactionFaults = withSurface('authorization', [...silent, ...cancellation, ...levels])
