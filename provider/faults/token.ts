import { createHash } from 'node:crypto'
import { type Behaviour, withFace } from '../behaviour.ts'
import { type Answer, fieldsOf, jsonAnswer, type Received } from '../http.ts'

type Fields = Record<string, unknown>

/** Edits the body of a token response. */
function onSuccess(
  { idp }: Behaviour,
  edit: (fields: Fields, received: Received, answer: Answer) => void,
): void {
  idp.answers.token.push((answer, received) => {
    const fields = fieldsOf(answer)
    if (answer.status === 200 && fields) edit(fields, received, answer)
  })
}

/** Edits an error of the token endpoint. */
function onError(
  { idp }: Behaviour,
  edit: (fields: Fields, received: Received, answer: Answer) => void,
): void {
  idp.answers.token.push((answer, received) => {
    const fields = fieldsOf(answer)
    if (answer.status >= 400 && fields) edit(fields, received, answer)
  })
}

function grantType({ form }: Received): string | undefined {
  return form?.get('grant_type') ?? undefined
}

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

const response = [
  {
    name: 'token-response-201',
    summary: 'A code is exchanged with status 201 instead of 200.',
    violates: ['TOKEN-CODE-EXCHANGE'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.token.push((answer, received) => {
        if (answer.status === 200 && grantType(received) === 'authorization_code') answer.status = 201
      }),
  },
  {
    name: 'token-response-as-html',
    summary: 'The answer to a code exchange is labelled text/html.',
    violates: ['TOKEN-CODE-EXCHANGE'],
    alter: (behaviour: Behaviour) =>
      onSuccess(behaviour, (fields, received, answer) => {
        if (grantType(received) !== 'authorization_code') return
        answer.body = JSON.stringify(fields)
        answer.headers['content-type'] = 'text/html; charset=utf-8'
      }),
  },
  {
    name: 'expires-in-as-text',
    summary: 'expires_in is a string.',
    violates: ['TOKEN-RESPONSE-SHAPE'],
    consequences: ['ACCESSTOKEN-EXPIRY'],
    alter: (behaviour: Behaviour) =>
      onSuccess(behaviour, (fields) => {
        fields.expires_in = String(fields.expires_in)
      }),
  },
  {
    name: 'expires-in-fraction',
    summary: 'expires_in is not a whole number.',
    violates: ['TOKEN-RESPONSE-SHAPE'],
    alter: (behaviour: Behaviour) =>
      onSuccess(behaviour, (fields) => {
        fields.expires_in = Number(fields.expires_in) - 0.125
      }),
  },
  {
    name: 'scope-missing',
    summary: 'The token response has no scope.',
    violates: ['TOKEN-RESPONSE-SHAPE'],
    alter: (behaviour: Behaviour) =>
      onSuccess(behaviour, (fields) => {
        delete fields.scope
      }),
  },
  {
    name: 'scope-as-list',
    summary: 'The scope of the token response is a list.',
    violates: ['TOKEN-RESPONSE-SHAPE'],
    alter: (behaviour: Behaviour) =>
      onSuccess(behaviour, (fields) => {
        fields.scope = String(fields.scope).split(' ')
      }),
  },
  {
    name: 'token-type-jwt',
    summary: 'token_type names the format of the token instead of bearer.',
    violates: ['TOKEN-TYPE-BEARER'],
    alter: (behaviour: Behaviour) =>
      onSuccess(behaviour, (fields) => {
        fields.token_type = 'JWT'
      }),
  },
  {
    name: 'token-type-missing',
    summary: 'The token response has no token_type.',
    violates: ['TOKEN-TYPE-BEARER'],
    consequences: ['TOKEN-RESPONSE-SHAPE'],
    alter: (behaviour: Behaviour) =>
      onSuccess(behaviour, (fields) => {
        delete fields.token_type
      }),
  },
  {
    name: 'refresh-token-missing',
    summary: 'A code exchange gives no refresh token.',
    violates: ['TOKEN-REFRESH-TOKEN-ISSUED'],
    alter: ({ idp }: Behaviour) => {
      idp.issueRefreshToken = false
    },
  },
  {
    name: 'id-token-missing',
    summary: 'A code exchange gives no ID token.',
    violates: ['TOKEN-ID-TOKEN-ISSUED'],
    alter: (behaviour: Behaviour) =>
      onSuccess(behaviour, (fields, received) => {
        if (grantType(received) === 'authorization_code') delete fields.id_token
      }),
  },
]

const code = [
  {
    name: 'code-replay-accepted',
    summary: 'A code can be exchanged any number of times while it lives.',
    violates: ['TOKEN-CODE-SINGLE-USE'],
    alter: ({ idp }: Behaviour) => {
      idp.reusable = (model) => model === 'AuthorizationCode'
    },
  },
  {
    name: 'code-replay-accepted-briefly',
    summary: 'A code can be exchanged again within two seconds of its first use.',
    violates: ['TOKEN-CODE-SINGLE-USE'],
    alter: ({ idp }: Behaviour) => {
      idp.reusable = (model, usedMillisecondsAgo) =>
        model === 'AuthorizationCode' && usedMillisecondsAgo <= 2000
    },
  },
  {
    name: 'verifier-ignored',
    summary: 'The code verifier is not compared with the challenge.',
    violates: ['TOKEN-CODE-VERIFIER'],
    consequences: ['TOKEN-MISSING-PARAMETER'],
    alter: ({ idp }: Behaviour) => {
      idp.requiredExchangeParameters.delete('code_verifier')
      idp.codeFound.push((found, { form }) => {
        const verifier = form?.get('code_verifier')
        found.codeChallenge = verifier ? createHash('sha256').update(verifier).digest('base64url') : undefined
      })
    },
  },
  {
    name: 'verifier-checked-only-when-sent',
    summary: 'A code exchange without a code verifier succeeds; a wrong one is refused.',
    violates: ['TOKEN-CODE-VERIFIER'],
    consequences: ['TOKEN-MISSING-PARAMETER'],
    alter: ({ idp }: Behaviour) => {
      idp.requiredExchangeParameters.delete('code_verifier')
      idp.codeFound.push((found, { form }) => {
        if (!form?.get('code_verifier')) found.codeChallenge = undefined
      })
    },
  },
  {
    name: 'exchange-redirect-uri-ignored',
    summary: 'A code exchange with another redirect URI than the request had succeeds.',
    violates: ['TOKEN-REDIRECT-URI-MATCH'],
    alter: ({ idp }: Behaviour) =>
      idp.codeFound.push((found, { form }) => {
        found.redirectUri = form?.get('redirect_uri') ?? ''
      }),
  },
  {
    name: 'exchange-redirect-uri-by-prefix',
    summary: 'A code exchange succeeds when its redirect URI begins with that of the request.',
    violates: ['TOKEN-REDIRECT-URI-MATCH'],
    alter: ({ idp }: Behaviour) =>
      idp.codeFound.push((found, { form }) => {
        const given = form?.get('redirect_uri') ?? ''
        if (given.startsWith(found.redirectUri ?? '')) found.redirectUri = given
      }),
  },
  {
    name: 'exchange-redirect-uri-error-renamed',
    summary: 'A redirect URI that differs from the request is called invalid_request.',
    violates: ['TOKEN-REDIRECT-URI-MATCH'],
    alter: (behaviour: Behaviour) => {
      const differing = new WeakSet<Received>()
      behaviour.idp.codeFound.push((found, received) => {
        if (found.redirectUri !== received.form?.get('redirect_uri')) differing.add(received)
      })
      onError(behaviour, (fields, received) => {
        if (differing.has(received)) fields.error = 'invalid_request'
      })
    },
  },
  {
    name: 'code-of-another-client-accepted',
    summary: 'A client can exchange the code of another client.',
    violates: ['TOKEN-CODE-OTHER-CLIENT'],
    alter: ({ idp }: Behaviour) => {
      const adopt = (found: { clientId?: string }, received: Received) => {
        if (grantType(received) === 'authorization_code' && received.client) found.clientId = received.client
      }
      idp.codeFound.push(adopt)
      idp.grantFound.push(adopt)
    },
  },
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

export const tokenFaults = withFace('idp', [...response, ...code, ...request, ...client])
