import { type Behaviour, withFace } from '../behaviour.ts'
import { fieldsOf, jsonAnswer, type Received } from '../http.ts'
import { endpointOf } from '../identity/paths.ts'
import { onSuccess } from './token-steps.ts'
import { sayShortLifetime } from './userinfo.ts'

const REFERENCE = ['introspection-available']

/** Edits the description of an active access token. */
function onActive({ idp }: Behaviour, edit: (fields: Record<string, unknown>) => void): void {
  idp.answers.introspection.push((answer) => {
    const fields = fieldsOf(answer)
    if (fields?.active === true) edit(fields)
  })
}

/** Requests that came with a JWT, whose place an identifier takes later on. */
function requestsAboutJwts({ idp }: Behaviour): WeakSet<Received> {
  const found = new WeakSet<Received>()
  idp.admission.push((received) => {
    if (received.form?.get('token')?.includes('.')) found.add(received)
    return undefined
  })
  return found
}

function isoDate(seconds: unknown): string {
  return new Date(Number(seconds) * 1000).toISOString()
}

export const introspectionFaults = withFace('introspection', [
  {
    name: 'introspection-page-with-200',
    summary: 'The introspection endpoint answers with an HTML page and status 200.',
    violates: ['INTROSPECTION-UNAVAILABLE'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer) => {
        answer.status = 200
      }),
  },
  {
    name: 'introspection-refused-with-description',
    summary: 'Introspection is refused with 400, and the body describes the token all the same.',
    violates: ['INTROSPECTION-UNAVAILABLE'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer) => {
        Object.assign(answer, jsonAnswer(400, { active: true, username: 'alder@partner.invalid' }))
      }),
  },
  {
    name: 'introspection-failed-client-with-description',
    summary:
      'A client without credentials is refused with 401, and the body describes the token all the same.',
    violates: ['INTROSPECTION-CLIENT-AUTH'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer, { headers, form }) => {
        if (answer.status === 401 && !(headers.authorization ?? form?.get('client_secret')))
          answer.body = { ...fieldsOf(answer), active: true, sub: 'somebody' }
      }),
  },
  {
    name: 'introspection-active-as-text',
    summary: 'An active token is described by active: "true".',
    violates: ['INTROSPECTION-ACTIVE'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer) => {
        const fields = fieldsOf(answer)
        if (fields?.active === true) fields.active = 'true'
      }),
  },
  {
    name: 'introspection-active-called-inactive',
    summary: 'A live access token is called inactive.',
    violates: ['INTROSPECTION-ACTIVE'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer) => {
        if (fieldsOf(answer)?.active === true) answer.body = { active: false }
      }),
  },
  ...(
    [
      ['scope-as-list', 'SCOPE', 'scope is a list', (fields) => [fields.scope]],
      ['scope-null', 'SCOPE', 'scope is null', () => null],
      [
        'client-id-in-capitals',
        'CLIENT-ID',
        'client_id is in capitals',
        (fields) => String(fields.client_id).toUpperCase(),
      ],
      ['username-number', 'USERNAME', 'username is a number', () => 4711],
      [
        'token-type-of-refresh-token',
        'TOKEN-TYPE',
        'token_type is that of a refresh token',
        () => 'refresh_token',
      ],
      ['sub-of-another-sphere', 'SUB', 'sub is that of another Sphere', (fields) => `${fields.sub}-south`],
      ['aud-empty', 'AUD', 'aud is an empty list', () => []],
      ['iss-other-host', 'ISS', 'iss is an internal host', () => 'https://idp-node-1.internal.invalid'],
      ['jti-empty', 'JTI', 'jti is empty', () => ''],
      ['client-id-of-neighbour', 'CLIENT-ID', 'client_id is another application', () => 'second-kiosk'],
      ['username-is-subject', 'USERNAME', 'username is no e-mail address', (fields) => fields.sub],
      ['token-type-jwt', 'TOKEN-TYPE', 'token_type names the format', () => 'JWT'],
      ['exp-in-milliseconds', 'EXP', 'exp counts milliseconds', (fields) => Number(fields.exp) * 1000],
      ['exp-as-text', 'EXP', 'exp is a date', (fields) => isoDate(fields.exp)],
      ['iat-as-text', 'IAT', 'iat is a date', (fields) => isoDate(fields.iat)],
      ['iat-in-milliseconds', 'IAT', 'iat counts milliseconds', (fields) => Number(fields.iat) * 1000],
      ['nbf-in-milliseconds', 'NBF', 'nbf counts milliseconds', (fields) => Number(fields.nbf) * 1000],
      ['nbf-is-expiry', 'NBF', 'nbf is the time at which the token ends', (fields) => fields.exp],
      ['sub-of-account', 'SUB', 'sub is an internal account number', () => 'account-4711'],
      ['aud-as-object', 'AUD', 'aud is an object', (fields) => ({ client: fields.client_id })],
      ['iss-trailing-slash', 'ISS', 'iss has a slash at its end', (fields) => `${fields.iss}/`],
      ['jti-of-user', 'JTI', 'jti is the same for all tokens of a user', (fields) => `user-${fields.sub}`],
    ] as const satisfies readonly (readonly [
      string,
      string,
      string,
      (fields: Record<string, unknown>) => unknown,
    ])[]
  ).map(([name, requirement, what, value]) => ({
    name: `introspection-${name}`,
    summary: `In the description of an active token, ${what}.`,
    violates: [`INTROSPECTION-${requirement}`],
    variants: REFERENCE,
    alter: (behaviour: Behaviour) =>
      onActive(behaviour, (fields) => {
        fields[requirement.toLowerCase().replaceAll('-', '_')] = value(fields)
      }),
  })),
  {
    name: 'introspection-inactive-with-reason',
    summary: 'The description of an inactive token says why it is inactive.',
    violates: ['INTROSPECTION-INACTIVE-ALONE'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer) => {
        const fields = fieldsOf(answer)
        if (fields?.active === false) fields.reason = 'unknown'
      }),
  },
  {
    name: 'introspection-inactive-with-null',
    summary: 'The description of an inactive token has an exp of null.',
    violates: ['INTROSPECTION-INACTIVE-ALONE'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer) => {
        const fields = fieldsOf(answer)
        if (fields?.active === false) fields.exp = null
      }),
  },
  {
    name: 'introspection-wrong-secret-with-400',
    summary: 'Introspection refuses a wrong client secret with 400.',
    violates: ['INTROSPECTION-CLIENT-SECRET'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer, { headers, form }) => {
        const secret = headers.authorization ?? form?.get('client_secret')
        if (answer.status === 401 && secret) answer.status = 400
      }),
  },
  {
    name: 'introspection-inactive-as-zero',
    summary: 'A token that was never issued is described by active: 0.',
    violates: ['INTROSPECTION-INACTIVE'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer, { form }) => {
        const fields = fieldsOf(answer)
        if (fields?.active === false && !form?.get('token')?.includes('.')) fields.active = 0
      }),
  },
  {
    name: 'introspection-token-optional',
    summary: 'Introspection without a token answers 200 and calls it inactive.',
    violates: ['INTROSPECTION-TOKEN-REQUIRED'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer, { form }) => {
        if (answer.status === 400 && !form?.get('token'))
          Object.assign(answer, jsonAnswer(200, { active: false }))
      }),
  },
  {
    name: 'introspection-without-client-auth',
    summary: 'A client without credentials is told the token is inactive.',
    violates: ['INTROSPECTION-CLIENT-AUTH'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer, { headers, form }) => {
        const secret = headers.authorization ?? form?.get('client_secret')
        if (answer.status === 401 && !secret) Object.assign(answer, jsonAnswer(200, { active: false }))
      }),
  },
  {
    name: 'introspection-inactive-as-404',
    summary: 'A token that was never issued is answered 404.',
    violates: ['INTROSPECTION-INACTIVE'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer, { form }) => {
        if (fieldsOf(answer)?.active === false && !form?.get('token')?.includes('.')) {
          const body = { error: 'not_found', error_description: 'There is no such token.' }
          Object.assign(answer, jsonAnswer(404, body))
        }
      }),
  },
  {
    name: 'introspection-tells-altered-tokens',
    summary: 'The description of an altered token says that its signature is wrong.',
    violates: ['INTROSPECTION-INACTIVE-ALIKE'],
    variants: REFERENCE,
    alter: (behaviour: Behaviour) => {
      const aboutJwts = requestsAboutJwts(behaviour)
      behaviour.idp.answers.introspection.push((answer, received) => {
        const fields = fieldsOf(answer)
        if (fields?.active === false && aboutJwts.has(received)) fields.detail = 'signature'
      })
    },
  },
  {
    name: 'introspection-signature-not-checked',
    summary: 'An access token whose signature was altered is called active.',
    violates: ['INTROSPECTION-TAMPERED'],
    variants: REFERENCE,
    alter: (behaviour: Behaviour) => {
      const issued = new Map<string, string>()
      const signedPart = (token: string) => token.slice(0, Math.max(0, token.lastIndexOf('.')))
      onSuccess(behaviour, ({ access_token: token }) => issued.set(signedPart(String(token)), String(token)))
      behaviour.idp.admission.push(({ path, form }) => {
        const known = issued.get(signedPart(form?.get('token') ?? ''))
        if (endpointOf(path) === 'introspection' && known) form?.set('token', known)
        return undefined
      })
    },
  },
  {
    name: 'introspection-active-after-expiry',
    summary: 'Access tokens are said to live for three seconds, and are called active for longer.',
    violates: ['INTROSPECTION-EXPIRED'],
    variants: REFERENCE,
    alter: (behaviour: Behaviour) => sayShortLifetime(behaviour),
  },
  {
    name: 'introspection-refresh-token-unknown',
    summary: 'A good refresh token is called inactive.',
    violates: ['INTROSPECTION-REFRESH-TOKEN'],
    variants: REFERENCE,
    alter: (behaviour: Behaviour) => {
      const aboutJwts = requestsAboutJwts(behaviour)
      behaviour.idp.answers.introspection.push((answer, received) => {
        if (fieldsOf(answer)?.active === true && !aboutJwts.has(received)) answer.body = { active: false }
      })
    },
  },
  {
    name: 'introspection-hint-obeyed',
    summary: 'A token is looked for only among the tokens that token_type_hint names.',
    violates: ['INTROSPECTION-HINT-IGNORED'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer, { form }) => {
        if (form?.get('token_type_hint') === 'refresh_token') answer.body = { active: false }
      }),
  },
  {
    name: 'introspection-unknown-hint-refused',
    summary: 'An unknown token_type_hint is refused with 400.',
    violates: ['INTROSPECTION-HINT-IGNORED'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer, { form }) => {
        const hint = form?.get('token_type_hint')
        if (!hint || hint === 'refresh_token' || hint === 'access_token') return
        const body = { error: 'unsupported_token_type', error_description: 'Unknown hint.' }
        Object.assign(answer, jsonAnswer(400, body))
      }),
  },
  {
    name: 'introspection-secret-not-checked',
    summary: 'Introspection takes any client secret.',
    violates: ['INTROSPECTION-CLIENT-SECRET'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer, { headers, form }) => {
        const secret = headers.authorization ?? form?.get('client_secret')
        if (answer.status === 401 && secret) Object.assign(answer, jsonAnswer(200, { active: false }))
      }),
  },
  {
    name: 'introspection-missing-token-with-422',
    summary: 'Introspection without a token is refused with 422.',
    violates: ['INTROSPECTION-TOKEN-REQUIRED'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer, { form }) => {
        if (answer.status === 400 && !form?.get('token')) answer.status = 422
      }),
  },
  {
    name: 'introspection-without-client-auth-as-400',
    summary: 'A client without credentials is refused with 400 instead of 401.',
    violates: ['INTROSPECTION-CLIENT-AUTH'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer, { headers, form }) => {
        const secret = headers.authorization ?? form?.get('client_secret')
        if (answer.status === 401 && !secret) answer.status = 400
      }),
  },
  {
    name: 'introspection-given-to-partners',
    summary: 'Introspection answers partners 200 with a JSON body that is no description of a token.',
    violates: ['INTROSPECTION-UNAVAILABLE'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer) => {
        Object.assign(answer, jsonAnswer(200, { scope: 'openid' }))
      }),
  },
])
