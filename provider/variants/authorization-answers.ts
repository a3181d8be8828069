import { type Behaviour, withFace } from '../behaviour.ts'
import { type Answer, htmlAnswer, jsonAnswer, type Received } from '../http.ts'
import { callbackOf } from '../identity/answers.ts'
import { PATHS } from '../identity/paths.ts'

/** A redirect back to the application, edited. */
function onCallback({ idp }: Behaviour, edit: (url: URL, received: Received, answer: Answer) => void): void {
  idp.answers.authorization.push((answer, received) => {
    const url = callbackOf(answer, received)
    if (!url) return
    edit(url, received, answer)
    answer.headers.location = url.href
  })
}

/** Another documented name for an error whose description tells its cause. */
function renamed(behaviour: Behaviour, isCause: (description: string) => boolean, to: string): void {
  onCallback(behaviour, ({ searchParams }) => {
    if (isCause(searchParams.get('error_description') ?? '')) searchParams.set('error', to)
  })
}

/** Lawful forms of what comes back, and lawful names of errors. */
export const authorizationAnswerVariants = withFace('authorization', [
  {
    name: 'consent-every-time',
    summary: 'Users are asked for consent in every authorization.',
    concerns: [
      'AUTHZ-CODE-FLOW',
      'AUTHZ-PROMPT-NONE-SESSION',
      'AUTHZ-PROMPT-NONE-CONSENT',
      'AUTHZ-LEVEL-OPTIONAL',
    ],
    ambiguity: 'When users are asked for consent is not said.',
    alter: ({ idp }: Behaviour) => {
      idp.consent = 'always'
    },
  },
  {
    name: 'silent-login-consent-required',
    summary: 'prompt=none without a session is called consent_required.',
    concerns: ['AUTHZ-PROMPT-NONE-ERROR'],
    ambiguity: 'Three error names share one cause: prompt=none, but interaction is needed.',
    decided: ['AUTHZ-PROMPT-NONE-ERROR'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.get('error') === 'login_required') searchParams.set('error', 'consent_required')
      }),
  },
  {
    name: 'state-not-ascii-refused',
    summary: 'A state with characters outside ASCII is refused with a page.',
    concerns: ['AUTHZ-STATE-ECHO', 'AUTHZ-STATE-CHARACTERS'],
    ambiguity: 'A state consists of visible ASCII characters and spaces (RFC 6749, appendix A.5).',
    decided: ['AUTHZ-STATE-ECHO'],
    alter: ({ idp }: Behaviour) => {
      idp.admission.push(({ path, query }) =>
        path === PATHS.authorization && /[^\x20-\x7e]/.test(query.get('state') ?? '')
          ? htmlAnswer(400, '<!doctype html><title>Bad request</title><p>Malformed state.</p>')
          : undefined,
      )
    },
  },
  {
    name: 'state-not-ascii-lost',
    summary: 'Characters of the state outside ASCII come back as question marks.',
    concerns: ['AUTHZ-STATE-ECHO', 'AUTHZ-STATE-CHARACTERS'],
    ambiguity: 'A state consists of visible ASCII characters and spaces (RFC 6749, appendix A.5).',
    decided: ['AUTHZ-STATE-ECHO'],
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        const state = searchParams.get('state')
        if (state !== null) searchParams.set('state', state.replace(/[^\x20-\x7e]/gu, '?'))
      }),
  },
  {
    name: 'silent-consent-interaction-required',
    summary: 'prompt=none where consent is missing is called interaction_required.',
    concerns: ['AUTHZ-PROMPT-NONE-CONSENT-ERROR'],
    ambiguity: 'Several error names are documented for prompt=none.',
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.get('error') === 'consent_required')
          searchParams.set('error', 'interaction_required')
      }),
  },
  {
    name: 'unmet-acr-denied',
    summary: 'acr_values that cannot be met are called access_denied.',
    concerns: ['AUTHZ-ACR-UNMET'],
    ambiguity: 'Two errors have a cause that fits a level that cannot be reached.',
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        if (searchParams.get('error') === 'unmet_authentication_requirements')
          searchParams.set('error', 'access_denied')
      }),
  },
  {
    name: 'unmet-auth-level-as-unmet',
    summary: 'An auth_level for which the user has no factor is called unmet_authentication_requirements.',
    concerns: ['AUTHZ-AUTH-LEVEL-UNMET'],
    ambiguity: 'Two errors have a cause that fits a level that cannot be reached.',
    alter: (behaviour: Behaviour) =>
      renamed(behaviour, (text) => text.includes('no factor'), 'unmet_authentication_requirements'),
  },
  {
    name: 'unknown-scope-malformed',
    summary: 'An unknown scope is called invalid_request.',
    concerns: ['AUTHZ-SCOPE-INVALID'],
    ambiguity: 'A malformed parameter is an invalid request.',
    alter: (behaviour: Behaviour) =>
      renamed(behaviour, (text) => text.includes('scope is unknown'), 'invalid_request'),
  },
  {
    name: 'missing-response-type-unsupported',
    summary: 'A missing response_type is called unsupported_response_type.',
    concerns: ['AUTHZ-RESPONSE-TYPE-REQUIRED'],
    ambiguity: 'No response type is one other than code, and it is a missing parameter.',
    alter: (behaviour: Behaviour) =>
      renamed(behaviour, (text) => text.includes('response_type'), 'unsupported_response_type'),
  },
  {
    name: 'short-challenge-taken',
    summary: 'A challenge of any length brings a code, with which no verifier will ever agree.',
    concerns: ['AUTHZ-MALFORMED'],
    ambiguity: 'When a malformed challenge is noticed is not said.',
    alter: ({ idp }: Behaviour) =>
      idp.authorizationRequest.push((query) => {
        const challenge = query.get('code_challenge')
        if (challenge !== null && challenge.length < 43)
          query.set('code_challenge', challenge.padEnd(43, '-'))
      }),
  },
  {
    name: 'refusal-pages-as-json',
    summary: 'What is not sent back to an application is refused with 401 and a JSON body.',
    concerns: ['AUTHZ-CLIENT-ID-REQUIRED', 'AUTHZ-CLIENT-ID-UNKNOWN', 'AUTHZ-REDIRECT-URI-REQUIRED'],
    ambiguity: 'What is said to a request without an application is not shown.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.authorization.push((answer) => {
        if (answer.status !== 400 || String(answer.body).includes('redirect_uri_mismatch')) return
        Object.assign(answer, jsonAnswer(401, { error: 'invalid_client' }))
      }),
  },
  {
    name: 'code-redirects-303',
    summary: 'The redirect with the code has status 303; one with an error has 302.',
    concerns: ['AUTHZ-SUCCESS-STATUS', 'AUTHZ-REDIRECT-302', 'AUTHZ-CODE-FLOW'],
    ambiguity: 'The status of the successful redirect is not shown.',
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }, _, answer) => {
        if (searchParams.has('code')) answer.status = 303
      }),
  },
  {
    name: 'redirect-host-in-capitals',
    summary: 'The redirect back to the application writes its host in capitals.',
    concerns: ['AUTHZ-CODE-ADDRESS', 'AUTHZ-CODE-FLOW'],
    ambiguity: 'Letter case of a host makes no difference (RFC 3986, 6.2.2.1).',
    alter: ({ idp }: Behaviour) =>
      idp.answers.authorization.push((answer, received) => {
        const url = callbackOf(answer, received)
        if (url) answer.headers.location = url.href.replace(url.host, url.host.toUpperCase())
      }),
  },
  {
    name: 'response-with-more-parameters',
    summary: 'Redirects back to the application carry session_state, and errors an error_uri.',
    concerns: ['AUTHZ-NO-TOKEN', 'AUTHZ-RESPONSE-PARAMETERS', 'AUTHZ-ERROR-PARAMETERS'],
    ambiguity: 'Other parameters beside code and error are not excluded.',
    alter: (behaviour: Behaviour) =>
      onCallback(behaviour, ({ searchParams }) => {
        searchParams.set('session_state', 'a1b2c3.d4e5f6')
        if (searchParams.has('error')) searchParams.set('error_uri', 'https://partner.invalid/errors')
        searchParams.delete('error_description')
      }),
  },
])
