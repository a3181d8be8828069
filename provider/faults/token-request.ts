import { type Behaviour, withFace } from '../behaviour.ts'
import { jsonAnswer, type Received } from '../http.ts'
import { grantType, onError } from './token-steps.ts'

/** Requirements whose checks read the name of an error. */
const NAMED_ERRORS = [
  'TOKEN-CODE-SINGLE-USE',
  'TOKEN-CODE-VERIFIER',
  'TOKEN-REDIRECT-URI-MATCH',
  'TOKEN-MISSING-PARAMETER',
  'TOKEN-DUPLICATE-PARAMETER',
  'TOKEN-GRANT-UNSUPPORTED',
  'TOKEN-CLIENT-AUTH-METHOD',
  'TOKEN-CLIENT-SECRET',
  'TOKEN-GRANT-UNAUTHORIZED',
  'TOKEN-CODE-OTHER-CLIENT',
  'TOKEN-REFRESH-OLD-REFUSED',
  'TOKEN-REFRESH-RACE',
]

const request = [
  {
    name: 'missing-code-as-invalid-grant',
    summary: 'A code exchange without a code is called invalid_grant.',
    violates: ['TOKEN-MISSING-PARAMETER'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (fields, received) => {
        if (grantType(received) === 'authorization_code' && !received.form?.get('code'))
          fields.error = 'invalid_grant'
      }),
  },
  {
    name: 'missing-redirect-uri-accepted',
    summary: 'A code exchange without a redirect URI succeeds.',
    violates: ['TOKEN-MISSING-PARAMETER'],
    alter: ({ idp }: Behaviour) => {
      const lacking = new WeakSet<Received>()
      idp.tokenRequest.push((form, received) => {
        if (form.get('grant_type') !== 'authorization_code' || form.get('redirect_uri')) return
        lacking.add(received)
        form.set('redirect_uri', 'none')
      })
      idp.codeFound.push((found, received) => {
        if (lacking.has(received)) found.redirectUri = 'none'
      })
    },
  },
  {
    name: 'missing-grant-type-accepted',
    summary: 'A token request without grant_type is taken for a code exchange.',
    violates: ['TOKEN-MISSING-PARAMETER'],
    alter: ({ idp }: Behaviour) =>
      idp.tokenRequest.push((form) => {
        if (!form.get('grant_type') && form.get('code')) form.set('grant_type', 'authorization_code')
      }),
  },
  {
    name: 'duplicate-parameter-accepted',
    summary: 'Of a parameter given twice, the first one counts.',
    violates: ['TOKEN-DUPLICATE-PARAMETER'],
    alter: ({ idp }: Behaviour) =>
      idp.tokenRequest.push((form) => {
        for (const name of new Set(form.keys())) form.set(name, form.get(name) ?? '')
      }),
  },
  {
    name: 'unsupported-grant-renamed',
    summary: 'An unsupported grant type is called invalid_request.',
    violates: ['TOKEN-GRANT-UNSUPPORTED'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (fields) => {
        if (fields.error === 'unsupported_grant_type') fields.error = 'invalid_request'
      }),
  },
  {
    name: 'unsupported-grant-with-200',
    summary: 'An unsupported grant type is refused with status 200.',
    violates: ['TOKEN-GRANT-UNSUPPORTED'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (fields, _, answer) => {
        if (fields.error === 'unsupported_grant_type') answer.status = 200
      }),
  },
  {
    name: 'client-credentials-granted',
    summary: 'The client_credentials grant gives an access token.',
    violates: ['PLATFORM-MACHINE-TO-MACHINE', 'TOKEN-GRANT-UNSUPPORTED'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (fields, received, answer) => {
        if (grantType(received) !== 'client_credentials' || fields.error !== 'unsupported_grant_type') return
        const body = {
          access_token: `machine-${received.at}`,
          token_type: 'bearer',
          expires_in: 900,
          scope: '',
        }
        Object.assign(answer, jsonAnswer(200, body))
      }),
  },
  {
    name: 'token-error-as-html',
    summary: 'Errors of the token endpoint are HTML pages.',
    violates: ['TOKEN-ERROR-BODY'],
    consequences: NAMED_ERRORS,
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (_, __, answer) => {
        answer.headers['content-type'] = 'text/html; charset=utf-8'
        answer.body = '<!doctype html><title>Bad Request</title><h1>Bad Request</h1>'
      }),
  },
  {
    name: 'token-error-without-description',
    summary: 'Errors of the token endpoint have no error_description.',
    violates: ['TOKEN-ERROR-BODY'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (fields) => {
        delete fields.error_description
      }),
  },
  {
    name: 'token-error-nested',
    summary: 'Errors of the token endpoint are wrapped in an object called error.',
    violates: ['TOKEN-ERROR-BODY'],
    consequences: NAMED_ERRORS,
    alter: (behaviour: Behaviour) =>
      onError(behaviour, ({ error, error_description }, _, answer) => {
        answer.body = { error: { code: error, message: error_description } }
      }),
  },
]

const client = [
  {
    name: 'auth-method-not-enforced',
    summary: 'Client authentication works by Basic header and by form alike.',
    violates: ['TOKEN-CLIENT-AUTH-METHOD'],
    alter: ({ idp }: Behaviour) => {
      idp.enforceAuthMethod = false
    },
  },
  {
    name: 'wrong-auth-method-with-400',
    summary: 'The wrong client authentication method is refused with status 400.',
    violates: ['TOKEN-CLIENT-AUTH-METHOD'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (_, { form, headers }, answer) => {
        const method = headers.authorization ? 'client_secret_basic' : 'client_secret_post'
        const given = headers.authorization ?? form?.get('client_secret')
        if (answer.status === 401 && given && method !== behaviour.idp.authMethod) answer.status = 400
      }),
  },
  {
    name: 'client-secret-not-checked',
    summary: 'Any client secret is good.',
    violates: ['TOKEN-CLIENT-SECRET'],
    consequences: ['INTROSPECTION-CLIENT-AUTH'],
    alter: ({ idp }: Behaviour) => {
      idp.secretMatches = () => true
    },
  },
  {
    name: 'wrong-secret-as-invalid-grant',
    summary: 'A wrong client secret is refused with 400 invalid_grant.',
    violates: ['TOKEN-CLIENT-SECRET'],
    alter: (behaviour: Behaviour) => {
      const { secretMatches } = behaviour.idp
      let wrong = false
      behaviour.idp.secretMatches = (given, expected) => {
        const matches = secretMatches(given, expected)
        wrong = !matches
        return matches
      }
      onError(behaviour, (fields, _, answer) => {
        if (answer.status === 401 && wrong)
          Object.assign(answer, { status: 400, body: { ...fields, error: 'invalid_grant' } })
        wrong = false
      })
    },
  },
  {
    name: 'unauthorized-grant-renamed',
    summary: 'A grant the client may not use is called invalid_request.',
    violates: ['TOKEN-GRANT-UNAUTHORIZED'],
    alter: ({ idp }: Behaviour) => {
      idp.unauthorizedGrantError = 'invalid_request'
    },
  },
]

export const tokenRequestFaults = withFace('token', [...request, ...client])
