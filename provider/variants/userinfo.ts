import { withSurface } from '../alteration.ts'
import { editResponse } from '../edits.ts'
import { fieldsOf, htmlResponse, jsonResponse } from '../http.ts'
import { activeKey, signRs256 } from '../keys.ts'

/** Requirements that need a successful UserInfo request. */
const BEARER = ['USERINFO-BEARER', 'USERINFO-REFRESHED-TOKEN', 'USERINFO-TOKEN-REQUIRED']

/** Requirements on refusals, which must not contain claims of a user. */
const NO_CLAIMS = [
  'USERINFO-ID-TOKEN',
  'USERINFO-REFRESH-TOKEN',
  'USERINFO-REFUSED-CLAIMS',
  'USERINFO-TOKEN-REQUIRED',
]

/** The login page that a reverse proxy shows at all addresses that need a session. */
const loginPage = htmlResponse(
  200,
  '<!doctype html><title>Sign in</title><form method="post"><input name="username"><button>Sign in</button></form>',
)

/** The `sub` of a bearer credential; undefined if the credential is not a JWT. */
function subjectOf(authorization = ''): string | undefined {
  const claims = Buffer.from(authorization.split('.')[1] ?? '', 'base64url').toString()
  return claims.startsWith('{') ? JSON.parse(claims).sub : undefined
}

/** Lawful UserInfo responses. */
export const userinfoVariants = withSurface('userinfo', [
  {
    name: 'userinfo-subject-only',
    summary: 'Returns only `sub` from UserInfo.',
    concerns: ['USERINFO-BEARER', 'USERINFO-CLAIMS'],
    unspecified: 'The claims of UserInfo are not specified.',
    alter: editResponse('userinfo', (response) => {
      if (response.status === 200) response.body = { sub: fieldsOf(response)?.sub }
    }),
  },
  {
    name: 'userinfo-as-html',
    summary: 'Labels the JSON of UserInfo with the media type `text/html`.',
    concerns: ['USERINFO-BEARER', 'USERINFO-CLAIMS'],
    unspecified: 'The body of UserInfo is not specified.',
    alter: editResponse('userinfo', (response) => {
      if (response.status === 200) response.headers['content-type'] = 'text/html'
    }),
  },
  {
    name: 'userinfo-as-jwt',
    summary: 'Returns the claims of UserInfo as a signed JWT.',
    concerns: BEARER,
    unspecified:
      'The body of UserInfo is not specified; OpenID Connect Core section 5.3.2 permits a signed JWT.',
    mustPass: BEARER,
    alter: editResponse('userinfo', async (response) => {
      if (response.status !== 200) return
      const { kid, privateKey } = await activeKey()
      const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
      const input = `${encode({ alg: 'RS256', kid })}.${encode(fieldsOf(response))}`
      response.headers['content-type'] = 'application/jwt'
      response.body = `${input}.${await signRs256(input, privateKey)}`
    }),
  },
  {
    name: 'userinfo-several-challenges',
    summary:
      'Sends two challenges with the refusal of an access token: Basic, and Bearer with an unquoted error.',
    concerns: ['USERINFO-CHALLENGE', 'USERINFO-CHALLENGE-ERROR'],
    unspecified:
      'WWW-Authenticate may have several challenges, with or without quotes (RFC 9110 section 11.6.1).',
    alter: editResponse('userinfo', (response) => {
      if (response.headers['www-authenticate'])
        response.headers['www-authenticate'] =
          'Basic realm="Bearer, \\"partners\\"", bEaReR realm="users", Error=invalid_token'
    }),
  },
  {
    name: 'userinfo-challenge-lines',
    summary: 'Sends two `WWW-Authenticate` headers with the refusal of an access token.',
    concerns: ['USERINFO-CHALLENGE', 'USERINFO-CHALLENGE-ERROR'],
    unspecified: 'A header of several values may be sent as several lines (RFC 9110 section 5.3).',
    alter: editResponse('userinfo', (response) => {
      const bearer = response.headers['www-authenticate']
      if (typeof bearer === 'string') response.headers['www-authenticate'] = ['Negotiate', bearer]
    }),
  },
  {
    name: 'userinfo-challenge-of-gateway-first',
    summary:
      'Sends a Bearer challenge without an error before the Bearer challenge with `invalid_token` for a refused access token.',
    concerns: ['USERINFO-CHALLENGE', 'USERINFO-CHALLENGE-ERROR'],
    unspecified: 'WWW-Authenticate may have several challenges of one scheme (RFC 9110 section 11.6.1).',
    mustPass: ['USERINFO-CHALLENGE', 'USERINFO-CHALLENGE-ERROR'],
    alter: editResponse('userinfo', (response) => {
      const bearer = response.headers['www-authenticate']
      if (typeof bearer === 'string')
        response.headers['www-authenticate'] = ['Bearer realm="gateway"', bearer]
    }),
  },
  {
    name: 'userinfo-refusal-with-details',
    summary: 'Sends details of the request, the cause and links with each refusal.',
    concerns: ['USERINFO-REFUSED-CLAIMS', 'USERINFO-TOKEN-REQUIRED'],
    unspecified: 'The body of a refusal is not specified.',
    mustPass: ['USERINFO-REFUSED-CLAIMS', 'USERINFO-TOKEN-REQUIRED'],
    alter: editResponse('userinfo', (response) => {
      if (response.status < 400) return
      const details = { request_id: 'r-1', timestamp: 1_700_000_000, sub: 'The subject is unknown.' }
      const links = [{ rel: 'help', href: 'https://idp.invalid/errors' }]
      response.body = { ...fieldsOf(response), details, links }
    }),
  },
  {
    name: 'userinfo-refusal-mentions-limits',
    summary: 'Refers to a quota in the body of each refusal, which has no `error`.',
    concerns: ['USERINFO-REFUSED-CLAIMS', 'USERINFO-TOKEN-REQUIRED'],
    unspecified: 'The body of a refusal is not specified.',
    mustPass: ['USERINFO-REFUSED-CLAIMS', 'USERINFO-TOKEN-REQUIRED'],
    alter: editResponse('userinfo', (response) => {
      if (response.status >= 400)
        response.body = { message: 'The token is not valid. Refusals count towards the quota of the client.' }
    }),
  },
  {
    name: 'userinfo-refusal-repeats-subject-of-token',
    summary: 'Repeats the `sub` of a refused JWT in the challenge and in the body of the refusal.',
    concerns: NO_CLAIMS,
    unspecified: 'The description of a refusal is not specified; the caller has presented this `sub`.',
    mustPass: NO_CLAIMS,
    alter: editResponse('userinfo', (response, { headers }) => {
      const sub = subjectOf(headers.authorization)
      if (response.status !== 401 || sub === undefined) return
      const description = `The token with the sub ${sub} is not valid`
      response.headers['www-authenticate'] =
        `Bearer error="invalid_token", error_description="${description}"`
      response.body = { ...fieldsOf(response), error_description: description, sub }
    }),
  },
  {
    name: 'userinfo-with-members-of-the-service',
    summary: 'Adds the version and environment of the service to each UserInfo response and refusal.',
    concerns: NO_CLAIMS,
    unspecified:
      'The body of a refusal is not specified; values that are the same for everyone are not claims.',
    mustPass: NO_CLAIMS,
    alter: editResponse('userinfo', (response) => {
      const service = { version: '1.2', meta: { environment: 'uat', partner: 4711 } }
      response.body = { ...fieldsOf(response), ...service }
    }),
  },
  ...[
    { name: 'login-page', what: 'a login page with status 200', answer: loginPage },
    { name: 'empty-200', what: 'status 200 and no body', answer: { status: 200, headers: {}, body: '' } },
    {
      name: 'error-200',
      what: 'status 200 and an error',
      answer: jsonResponse(200, { error: 'invalid_request', error_description: 'There is no token.' }),
    },
  ].map(({ name, what, answer }) => ({
    name: `userinfo-without-token-as-${name}`,
    summary: `Returns ${what} for a request without an access token.`,
    concerns: ['USERINFO-TOKEN-REQUIRED'],
    unspecified:
      'The refusal of a request without a token is not specified, except that it must not contain claims.',
    mustPass: ['USERINFO-TOKEN-REQUIRED'],
    alter: editResponse('userinfo', (response, { headers }) => {
      if (!headers.authorization) Object.assign(response, structuredClone(answer))
    }),
  })),
  {
    name: 'userinfo-without-token-as-403',
    summary: 'Returns 403 for a request without an access token.',
    concerns: ['USERINFO-TOKEN-REQUIRED'],
    unspecified: 'The refusal of a request without a token is not specified.',
    alter: editResponse('userinfo', (response, { headers }) => {
      if (!headers.authorization && response.status >= 400) response.status = 403
    }),
  },
])
