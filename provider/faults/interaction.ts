import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { PASSWORD_LEVEL, SECOND_FACTOR_LEVEL } from '../deployment.ts'
import { editCallback } from '../edits.ts'
import { type HttpRequest, type HttpResponse, htmlResponse } from '../http.ts'
import { callbackOf } from '../identity/responses.ts'

/** Shows a page instead of matching redirects to the application. */
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

/** Replaces the error code of matching redirects to the application. */
function renameErrorWhere(matches: (callback: URL) => boolean, to: string): Alter {
  return editCallback((callback) => {
    if (matches(callback)) callback.searchParams.set('error', to)
  })
}

/** Replaces one error code by another in redirects to the application. */
function renameError(from: string, to: string): Alter {
  return renameErrorWhere(({ searchParams }) => searchParams.get('error') === from, to)
}

function isDescribed(text: string): (callback: URL) => boolean {
  return ({ searchParams }) => searchParams.get('error_description')?.includes(text) ?? false
}

/** The user has cancelled on the login page, not on the consent page of the second application. */
function isLoginCancelled(callback: URL): boolean {
  return callback.hostname !== 'second.invalid' && isDescribed('the user cancelled')(callback)
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
    summary: 'prompt=none is ignored: without a session, the login page is shown.',
    violates: ['AUTHZ-PROMPT-NONE'],
    consequences: ['AUTHZ-PROMPT-NONE-CONSENT'],
    alter: ({ idp }: Behaviour) => idp.authorizationRequest.push((query) => query.delete('prompt')),
  },
  {
    name: 'prompt-none-explained-on-page',
    summary: 'prompt=none without a session shows an error page.',
    violates: ['AUTHZ-PROMPT-NONE'],
    alter: showPageInstead((callback) => callback.searchParams.get('error') === 'login_required'),
  },
  {
    name: 'prompt-none-error-unlisted',
    summary: 'prompt=none without a session returns the error not_signed_in.',
    violates: ['AUTHZ-PROMPT-NONE-ERROR'],
    alter: renameError('login_required', 'not_signed_in'),
  },
  {
    name: 'prompt-none-error-renamed',
    summary: 'prompt=none without a session returns the error invalid_request.',
    violates: ['AUTHZ-PROMPT-NONE-ERROR'],
    alter: renameError('login_required', 'invalid_request'),
  },
  {
    name: 'prompt-none-forgets-session',
    summary: 'prompt=none is refused with login_required even with a session.',
    violates: ['AUTHZ-PROMPT-NONE-SESSION'],
    alter: editCallback(({ searchParams }, request) => {
      if (!isSilent(request) || !searchParams.has('code')) return
      searchParams.delete('code')
      searchParams.set('error', 'login_required')
    }),
  },
  {
    name: 'prompt-none-greets',
    summary: 'prompt=none with a session shows a page before the redirect.',
    violates: ['AUTHZ-PROMPT-NONE-SESSION'],
    alter: showPageInstead((callback, request) => isSilent(request) && callback.searchParams.has('code')),
  },
  {
    name: 'prompt-none-shows-consent',
    summary: 'prompt=none without consent shows a page.',
    violates: ['AUTHZ-PROMPT-NONE-CONSENT'],
    alter: showPageInstead((callback) => callback.searchParams.get('error') === 'consent_required'),
  },
  {
    name: 'prompt-none-consents',
    summary: 'prompt=none without consent returns a code.',
    violates: ['AUTHZ-PROMPT-NONE-CONSENT'],
    alter: editCallback(({ searchParams }) => {
      if (searchParams.get('error') !== 'consent_required') return
      searchParams.delete('error')
      searchParams.set('code', 'c0de')
    }),
  },
  {
    name: 'consent-required-renamed',
    summary: 'prompt=none without consent returns the error access_denied.',
    violates: ['AUTHZ-PROMPT-NONE-CONSENT-ERROR'],
    alter: renameError('consent_required', 'access_denied'),
  },
]

const cancellation = [
  {
    name: 'cancel-as-login-required',
    summary: 'When the user cancels, the redirect has the error login_required.',
    violates: ['AUTHZ-USER-CANCEL-ERROR', 'AUTHZ-CONSENT-REFUSED-ERROR'],
    alter: (behaviour: Behaviour) => {
      behaviour.idp.cancelError = 'login_required'
    },
  },
  {
    name: 'cancel-unlisted',
    summary: 'When the user cancels on the login page, the redirect has the error user_cancelled.',
    violates: ['AUTHZ-USER-CANCEL-ERROR'],
    alter: renameErrorWhere(isLoginCancelled, 'user_cancelled'),
  },
  {
    name: 'login-cancel-renamed',
    summary: 'When the user cancels on the login page, the redirect has the error invalid_request.',
    violates: ['AUTHZ-USER-CANCEL-ERROR'],
    alter: renameErrorWhere(isLoginCancelled, 'invalid_request'),
  },
  {
    name: 'cancel-ends-on-page',
    summary: 'When the user cancels, the provider shows a page instead of redirecting to the application.',
    violates: ['AUTHZ-ERROR-REDIRECT'],
    alter: showPageInstead(
      (callback) =>
        callback.searchParams.get('error') === 'access_denied' &&
        callback.searchParams.get('error_description') === 'the user cancelled',
    ),
  },
  {
    name: 'cancel-ignored',
    summary: 'When the user cancels on the login page, the redirect has a code.',
    violates: ['AUTHZ-USER-CANCEL'],
    alter: editCallback((url) => {
      if (!isLoginCancelled(url)) return
      url.searchParams.delete('error')
      url.searchParams.set('code', 'c0de')
    }),
  },
  {
    name: 'consent-refusal-renamed',
    summary: 'When the user refuses consent, the redirect has the error consent_required.',
    violates: ['AUTHZ-CONSENT-REFUSED-ERROR'],
    alter: editCallback((url) => {
      const { hostname, searchParams } = url
      if (hostname === 'second.invalid' && searchParams.get('error') === 'access_denied')
        searchParams.set('error', 'consent_required')
    }),
  },
  {
    name: 'consent-refusal-ignored',
    summary: 'When the user refuses consent, the redirect has a code.',
    violates: ['AUTHZ-CONSENT-REFUSED'],
    alter: editCallback((url) => {
      const { hostname, searchParams } = url
      if (hostname !== 'second.invalid' || searchParams.get('error') !== 'access_denied') return
      searchParams.delete('error')
      searchParams.set('code', 'c0de')
    }),
  },
]

const levels = [
  {
    name: 'level-required',
    summary: 'A request without an authentication level returns the error invalid_request.',
    violates: ['AUTHZ-LEVEL-OPTIONAL'],
    alter: editCallback(({ searchParams }, { query }) => {
      if (!query.has('client_id') || query.has('acr_values') || query.has('auth_level')) return
      searchParams.delete('code')
      searchParams.set('error', 'invalid_request')
    }),
  },
  {
    name: 'unmet-acr-renamed',
    summary: 'acr_values that cannot be met return the error invalid_scope.',
    violates: ['AUTHZ-ACR-UNMET'],
    alter: renameError('unmet_authentication_requirements', 'invalid_scope'),
  },
  {
    name: 'unreached-acr-as-login-required',
    summary: 'A level that the login does not reach returns the error login_required.',
    violates: ['AUTHZ-ACR-UNMET'],
    alter: renameErrorWhere(isDescribed('was not reached'), 'login_required'),
  },
  {
    name: 'unmet-acr-unlisted',
    summary: 'acr_values that cannot be met return the error insufficient_authentication.',
    violates: ['AUTHZ-ACR-UNMET'],
    alter: renameError('unmet_authentication_requirements', 'insufficient_authentication'),
  },
  {
    name: 'unreached-acr-lowered',
    summary: 'acr_values for a second factor return a code without it, and the ID token has the lower level.',
    violates: ['AUTHZ-ACR-LOWERED'],
    alter: ({ idp }: Behaviour) =>
      idp.authorizationRequest.push((query) => {
        if (query.get('acr_values') === SECOND_FACTOR_LEVEL) query.set('acr_values', PASSWORD_LEVEL)
      }),
  },
  {
    name: 'level-echoed',
    summary: 'Any requested level returns a code, and the ID token has the requested level as its acr.',
    violates: ['AUTHZ-LEVEL-CLAIMED'],
    alter: echoLevel,
  },
  {
    name: 'unmet-auth-level-unlisted',
    summary: 'An auth_level for which the user has no factor returns the error no_eligible_factor.',
    violates: ['AUTHZ-AUTH-LEVEL-UNMET'],
    alter: renameErrorWhere(isDescribed('no factor'), 'no_eligible_factor'),
  },
  {
    name: 'unmet-auth-level-renamed',
    summary: 'An auth_level for which the user has no factor returns the error invalid_request.',
    violates: ['AUTHZ-AUTH-LEVEL-UNMET'],
    alter: renameErrorWhere(isDescribed('no factor'), 'invalid_request'),
  },
]

export const interactionFaults = withSurface('authorization', [...silent, ...cancellation, ...levels])
