import { type Behaviour, withFace } from '../behaviour.ts'
import { type Answer, htmlAnswer, type Received } from '../http.ts'
import { callbackOf } from '../identity/answers.ts'
import { onCallback } from './authorization.ts'

/** Shows a page in place of a redirect back to the application. */
function pageInstead({ idp }: Behaviour, when: (callback: URL, received: Received) => boolean): void {
  idp.answers.authorization.push((answer: Answer, received) => {
    const callback = callbackOf(answer, received)
    if (!callback || !when(callback, received)) return
    const { status, body } = htmlAnswer(200, '<!doctype html><title>One moment</title><p>Please wait.</p>')
    delete answer.headers.location
    answer.headers['content-type'] = 'text/html; charset=utf-8'
    answer.status = status
    answer.body = body
  })
}

/** Renames an error of the redirect back to the application. */
function renamed(behaviour: Behaviour, from: string, to: string): void {
  onCallback(behaviour, ({ searchParams }) => {
    if (searchParams.get('error') === from) searchParams.set('error', to)
  })
}

function isSilent({ query }: Received): boolean {
  return query.get('prompt') === 'none'
}

const silent = [
  {
    name: 'prompt-none-shows-login',
    summary: 'prompt=none is ignored: without a session the login page is shown.',
    violates: ['AUTHZ-PROMPT-NONE'],
    consequences: ['AUTHZ-PROMPT-NONE-CONSENT'],
    alter: ({ idp }: Behaviour) => idp.authorizationRequest.push((query) => query.delete('prompt')),
  },
  {
    name: 'prompt-none-explained-on-page',
    summary: 'prompt=none without a session ends on a page that says so.',
    violates: ['AUTHZ-PROMPT-NONE'],
    alter: (behaviour: Behaviour) =>
      pageInstead(behaviour, (callback) => callback.searchParams.get('error') === 'login_required'),
  },
  {
    name: 'prompt-none-error-renamed',
    summary: 'prompt=none without a session is called invalid_request.',
    violates: ['AUTHZ-PROMPT-NONE-ERROR'],
    alter: (behaviour: Behaviour) => renamed(behaviour, 'login_required', 'invalid_request'),
  },
  {
    name: 'prompt-none-forgets-session',
    summary: 'prompt=none is refused with login_required, session or not.',
    violates: ['AUTHZ-PROMPT-NONE-SESSION'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }, received) => {
        if (!isSilent(received) || !searchParams.has('code')) return
        searchParams.delete('code')
        searchParams.set('error', 'login_required')
      }),
  },
  {
    name: 'prompt-none-greets',
    summary: 'prompt=none in a session shows a page before it goes on.',
    violates: ['AUTHZ-PROMPT-NONE-SESSION'],
    alter: (behaviour: Behaviour) =>
      pageInstead(behaviour, (callback, received) => isSilent(received) && callback.searchParams.has('code')),
  },
  {
    name: 'prompt-none-shows-consent',
    summary: 'prompt=none where consent is missing shows a page.',
    violates: ['AUTHZ-PROMPT-NONE-CONSENT'],
    alter: (behaviour: Behaviour) =>
      pageInstead(behaviour, (callback) => callback.searchParams.get('error') === 'consent_required'),
  },
  {
    name: 'prompt-none-consents',
    summary: 'prompt=none where consent is missing brings a code.',
    violates: ['AUTHZ-PROMPT-NONE-CONSENT'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.get('error') !== 'consent_required') return
        searchParams.delete('error')
        searchParams.set('code', 'c0de')
      }),
  },
  {
    name: 'consent-required-renamed',
    summary: 'prompt=none where consent is missing is called access_denied.',
    violates: ['AUTHZ-PROMPT-NONE-CONSENT-ERROR'],
    alter: (behaviour: Behaviour) => renamed(behaviour, 'consent_required', 'access_denied'),
  },
]

const refusedByUser = [
  {
    name: 'cancel-as-login-required',
    summary: 'A user who cancels comes back with login_required.',
    violates: ['AUTHZ-USER-CANCEL', 'AUTHZ-CONSENT-REFUSED'],
    alter: (behaviour: Behaviour) => {
      behaviour.idp.cancelError = 'login_required'
    },
  },
  {
    name: 'login-cancel-renamed',
    summary: 'A user who cancels at the login page comes back with invalid_request.',
    violates: ['AUTHZ-USER-CANCEL'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ hostname, searchParams }) => {
        if (hostname !== 'second.invalid' && searchParams.get('error_description') === 'the user cancelled')
          searchParams.set('error', 'invalid_request')
      }),
  },
  {
    name: 'cancel-ends-on-page',
    summary: 'A user who cancels stays on a page of the provider; the application hears nothing.',
    violates: ['AUTHZ-USER-CANCEL', 'AUTHZ-CONSENT-REFUSED'],
    alter: (behaviour: Behaviour) =>
      pageInstead(
        behaviour,
        (callback) =>
          callback.searchParams.get('error') === 'access_denied' &&
          callback.searchParams.get('error_description') === 'the user cancelled',
      ),
  },
  {
    name: 'consent-refusal-renamed',
    summary: 'A user who refuses consent comes back with consent_required.',
    violates: ['AUTHZ-CONSENT-REFUSED'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, (url) => {
        const { hostname, searchParams } = url
        if (hostname === 'second.invalid' && searchParams.get('error') === 'access_denied')
          searchParams.set('error', 'consent_required')
      }),
  },
  {
    name: 'consent-refusal-ignored',
    summary: 'A user who refuses consent comes back with a code.',
    violates: ['AUTHZ-CONSENT-REFUSED'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, (url) => {
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
    summary: 'A request that asks for no authentication level is refused as incomplete.',
    violates: ['AUTHZ-LEVEL-OPTIONAL'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }, { query }) => {
        if (!query.has('client_id') || query.has('acr_values') || query.has('auth_level')) return
        searchParams.delete('code')
        searchParams.set('error', 'invalid_request')
      }),
  },
  {
    name: 'unmet-acr-renamed',
    summary: 'acr_values that cannot be met are called invalid_scope.',
    violates: ['AUTHZ-ACR-UNMET'],
    alter: (behaviour: Behaviour) => renamed(behaviour, 'unmet_authentication_requirements', 'invalid_scope'),
  },
  {
    name: 'unreached-acr-as-login-required',
    summary: 'A level that a login did not reach is called login_required.',
    violates: ['AUTHZ-ACR-UNMET'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.get('error_description')?.includes('was not reached'))
          searchParams.set('error', 'login_required')
      }),
  },
  {
    name: 'unmet-auth-level-renamed',
    summary: 'An auth_level for which the user has no factor is called invalid_request.',
    violates: ['AUTHZ-AUTH-LEVEL-UNMET'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.get('error_description')?.includes('no factor'))
          searchParams.set('error', 'invalid_request')
      }),
  },
]

export const interactionFaults = withFace('authorization', [...silent, ...refusedByUser, ...levels])
