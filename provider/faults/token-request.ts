import { type Behaviour, withFace } from '../behaviour.ts'
import { htmlAnswer, type Received } from '../http.ts'
import { endpointOf } from '../identity/paths.ts'
import { adoptLastClient, grantType, onError } from './token-steps.ts'

/** Whether a body holds percent signs that encode nothing. */
function isBroken(text = ''): boolean {
  return /%(?![0-9A-Fa-f]{2})/.test(text)
}

/** Parameters that a request may give once, with the requirement that says so. */
const givenTwice = [
  ['grant_type', 'TOKEN-DUPLICATE-GRANT-TYPE'],
  ['code', 'TOKEN-DUPLICATE-CODE'],
  ['redirect_uri', 'TOKEN-DUPLICATE-REDIRECT-URI'],
  ['code_verifier', 'TOKEN-DUPLICATE-CODE-VERIFIER'],
  ['refresh_token', 'TOKEN-DUPLICATE-REFRESH-TOKEN'],
] as const

const request = [
  {
    name: 'missing-code-as-invalid-grant',
    summary: 'A code exchange without a code is called invalid_grant.',
    violates: ['TOKEN-MISSING-CODE'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (fields, received) => {
        if (grantType(received) === 'authorization_code' && !received.form?.get('code'))
          fields.error = 'invalid_grant'
      }),
  },
  {
    name: 'missing-redirect-uri-accepted',
    summary: 'A code exchange without a redirect URI succeeds.',
    violates: ['TOKEN-MISSING-REDIRECT-URI'],
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
    violates: ['TOKEN-MISSING-GRANT-TYPE'],
    alter: ({ idp }: Behaviour) =>
      idp.tokenRequest.push((form) => {
        if (!form.get('grant_type') && form.get('code')) form.set('grant_type', 'authorization_code')
      }),
  },
  {
    name: 'missing-code-verifier-with-401',
    summary: 'A code exchange without a code verifier is refused with 401 invalid_client.',
    violates: ['TOKEN-MISSING-CODE-VERIFIER'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (fields, received, answer) => {
        if (grantType(received) !== 'authorization_code' || received.form?.get('code_verifier')) return
        if (!received.form?.get('code') || answer.status !== 400) return
        answer.status = 401
        fields.error = 'invalid_client'
      }),
  },
  {
    name: 'missing-refresh-token-as-invalid-grant',
    summary: 'A refresh without a refresh token is called invalid_grant.',
    violates: ['TOKEN-MISSING-REFRESH-TOKEN'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (fields, received) => {
        if (grantType(received) === 'refresh_token' && !received.form?.get('refresh_token'))
          fields.error = 'invalid_grant'
      }),
  },
  {
    name: 'missing-refresh-token-with-200',
    summary: 'A refresh without a refresh token is answered 200 with an error.',
    violates: ['TOKEN-MISSING-REFRESH-TOKEN'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (_, received, answer) => {
        if (grantType(received) === 'refresh_token' && !received.form?.get('refresh_token'))
          answer.status = 200
      }),
  },
  ...givenTwice.map(([name, requirement]) => ({
    name: `duplicate-${name.replaceAll('_', '-')}-accepted`,
    summary: `Of a ${name} given twice, the first one counts.`,
    violates: [requirement],
    alter: ({ idp }: Behaviour) =>
      idp.tokenRequest.push((form) => {
        if (form.has(name)) form.set(name, form.get(name) ?? '')
      }),
  })),
  ...givenTwice.map(([name, requirement]) => ({
    name: `duplicate-${name.replaceAll('_', '-')}-as-invalid-grant`,
    summary: `A token request with ${name} given twice is called invalid_grant.`,
    violates: [requirement],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (fields, { form }) => {
        if ((form?.getAll(name).length ?? 0) > 1) fields.error = 'invalid_grant'
      }),
  })),
  ...(
    [
      ['grant_type', 'TOKEN-MISSING-GRANT-TYPE'],
      ['code', 'TOKEN-MISSING-CODE'],
      ['redirect_uri', 'TOKEN-MISSING-REDIRECT-URI'],
      // A verifier that is missing is told apart from one that is not needed by its refusal.
      ['code_verifier', 'TOKEN-VERIFIER-MISSING'],
    ] as const
  ).map(([name, requirement]) => ({
    name: `missing-${name.replaceAll('_', '-')}-with-200`,
    summary: `A code exchange without ${name} is answered 200 with an error.`,
    violates: [requirement],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (_, { form }, answer) => {
        const exchange = ['grant_type', 'code', 'redirect_uri', 'code_verifier'].filter((one) =>
          form?.get(one),
        )
        if (exchange.length === 3 && !exchange.includes(name)) answer.status = 200
      }),
  })),
  {
    name: 'json-body-accepted',
    summary: 'A token request may come as JSON.',
    violates: ['TOKEN-BODY-JSON'],
    alter: ({ idp }: Behaviour) =>
      idp.admission.push((received) => {
        if (endpointOf(received.path) !== 'token') return undefined
        if (received.headers['content-type'] !== 'application/json') return undefined
        received.form = new URLSearchParams(JSON.parse(received.text ?? '{}'))
        received.headers['content-type'] = 'application/x-www-form-urlencoded'
        return undefined
      }),
  },
  {
    name: 'json-body-as-unsupported-grant',
    summary: 'A token request as JSON is called unsupported_grant_type.',
    violates: ['TOKEN-BODY-JSON'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (fields, { headers }) => {
        if (headers['content-type'] === 'application/json') fields.error = 'unsupported_grant_type'
      }),
  },
  {
    name: 'malformed-body-with-422',
    summary: 'A body that makes no form is answered 422.',
    violates: ['TOKEN-BODY-MALFORMED'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (_, { text }, answer) => {
        if (isBroken(text)) answer.status = 422
      }),
  },
  {
    name: 'malformed-body-as-unsupported-grant',
    summary: 'A body that makes no form is called unsupported_grant_type.',
    violates: ['TOKEN-BODY-MALFORMED'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (fields, { text }) => {
        if (isBroken(text)) fields.error = 'unsupported_grant_type'
      }),
  },
  {
    name: 'token-without-accept-as-406',
    summary: 'A token request without an Accept header is refused with 406.',
    violates: ['TOKEN-ACCEPT-OPTIONAL'],
    alter: ({ idp }: Behaviour) =>
      idp.admission.push(({ path, headers }) =>
        endpointOf(path) === 'token' && headers.accept === undefined
          ? htmlAnswer(406, '<!doctype html><title>Not Acceptable</title>')
          : undefined,
      ),
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
    name: 'client-authentication-optional',
    summary: 'A code exchange without client credentials succeeds.',
    violates: ['TOKEN-CLIENT-AUTH-MISSING'],
    alter: (behaviour: Behaviour) =>
      adoptLastClient(
        behaviour,
        (form, { headers }) =>
          form.get('grant_type') === 'authorization_code' && !headers.authorization && !form.has('client_id'),
      ),
  },
  {
    name: 'missing-client-with-403',
    summary: 'A code exchange without client credentials is refused with 403.',
    violates: ['TOKEN-CLIENT-AUTH-MISSING'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (_, received, answer) => {
        const { form, headers } = received
        if (grantType(received) === 'authorization_code' && !headers.authorization && !form?.has('client_id'))
          answer.status = 403
      }),
  },
  {
    name: 'client-id-alone-accepted',
    summary: 'A code exchange needs the client_id, but no secret.',
    violates: ['TOKEN-CLIENT-SECRET-MISSING'],
    alter: (behaviour: Behaviour) =>
      adoptLastClient(
        behaviour,
        (form, { headers }) =>
          form.get('grant_type') === 'authorization_code' &&
          !headers.authorization &&
          form.has('client_id') &&
          !form.has('client_secret'),
      ),
  },
  {
    name: 'client-id-alone-with-400',
    summary: 'A code exchange with a client_id and no secret is refused with 400.',
    violates: ['TOKEN-CLIENT-SECRET-MISSING'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (_, received, answer) => {
        const { form, headers } = received
        const alone = !headers.authorization && form?.has('client_id') && !form.has('client_secret')
        if (grantType(received) === 'authorization_code' && alone && answer.status === 401)
          answer.status = 400
      }),
  },
  {
    name: 'unknown-client-as-unauthorized-client',
    summary: 'A client that does not exist is refused with 400 unauthorized_client.',
    violates: ['TOKEN-CLIENT-UNKNOWN'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (fields, { client }, answer) => {
        if (answer.status !== 401 || !client?.startsWith('plumbline-')) return
        answer.status = 400
        fields.error = 'unauthorized_client'
      }),
  },
  {
    name: 'client-secret-not-checked',
    summary: 'Any client secret is good.',
    violates: ['TOKEN-CLIENT-SECRET'],
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
    name: 'unknown-client-with-400',
    summary: 'A client that does not exist is refused with 400 invalid_client.',
    violates: ['TOKEN-CLIENT-UNKNOWN'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (_, { client }, answer) => {
        if (answer.status === 401 && client?.startsWith('plumbline-')) answer.status = 400
      }),
  },
  {
    name: 'unauthorized-grant-with-403',
    summary: 'A grant the client may not use is refused with 403.',
    violates: ['TOKEN-GRANT-UNAUTHORIZED'],
    alter: (behaviour: Behaviour) =>
      onError(behaviour, (fields, _, answer) => {
        if (fields.error === 'unauthorized_client') answer.status = 403
      }),
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
