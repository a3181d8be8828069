import { type Behaviour, withFace } from '../behaviour.ts'
import { type Answer, fieldsOf, jsonAnswer, type Received } from '../http.ts'
import { endpointOf } from '../identity/paths.ts'

const REFERENCE = [
  'INTROSPECTION-UNAVAILABLE',
  'INTROSPECTION-ACTIVE',
  'INTROSPECTION-SCOPE',
  'INTROSPECTION-CLIENT-ID',
  'INTROSPECTION-USERNAME',
  'INTROSPECTION-TOKEN-TYPE',
  'INTROSPECTION-EXP',
  'INTROSPECTION-IAT',
  'INTROSPECTION-NBF',
  'INTROSPECTION-SUB',
  'INTROSPECTION-AUD',
  'INTROSPECTION-ISS',
  'INTROSPECTION-JTI',
  'INTROSPECTION-INACTIVE',
  'INTROSPECTION-INACTIVE-ALONE',
  'INTROSPECTION-INACTIVE-ALIKE',
  'INTROSPECTION-TAMPERED',
  'INTROSPECTION-EXPIRED',
  'INTROSPECTION-REFRESH-TOKEN',
  'INTROSPECTION-HINT-IGNORED',
  'INTROSPECTION-TOKEN-REQUIRED',
  'INTROSPECTION-CLIENT-AUTH',
  'INTROSPECTION-CLIENT-SECRET',
  'INTROSPECTION-OTHER-CLIENT',
]

/** Edits what the reference behaviour says about an active token. */
function describeActive({ idp }: Behaviour, edit: (fields: Record<string, unknown>) => void): void {
  idp.introspection = 'reference'
  idp.answers.introspection.push((answer) => {
    const fields = fieldsOf(answer)
    if (fields?.active === true) edit(fields)
  })
}

const introspection = [
  {
    name: 'introspection-available',
    summary: 'Introspection works as the reference describes it.',
    concerns: REFERENCE,
    ambiguity: 'Introspection is described, and said to be unavailable to partners.',
    alter: ({ idp }: Behaviour) => {
      idp.introspection = 'reference'
    },
  },
  {
    name: 'introspection-active-alone',
    summary: 'Introspection says that a token is active, and no more.',
    concerns: REFERENCE,
    ambiguity: 'Whether every member is always there is not said (RFC 7662 section 2.2 makes them optional).',
    alter: (behaviour: Behaviour) =>
      describeActive(behaviour, (fields) => {
        for (const name of Object.keys(fields)) if (name !== 'active') delete fields[name]
      }),
  },
  {
    name: 'introspection-in-other-forms',
    summary: 'Introspection writes bearer in lower case and aud as a list.',
    concerns: ['INTROSPECTION-AUD', 'INTROSPECTION-TOKEN-TYPE'],
    ambiguity: 'Token types do not depend on case, and aud may be a list (RFC 7662 section 2.2).',
    alter: (behaviour: Behaviour) =>
      describeActive(behaviour, (fields) => {
        if (fields.token_type === 'Bearer') fields.token_type = 'bearer'
        fields.aud = [fields.aud]
      }),
  },
  {
    name: 'introspection-with-short-lived-tokens',
    summary: 'Introspection works, and access tokens live for four seconds.',
    concerns: ['INTROSPECTION-EXPIRED'],
    ambiguity: 'The lifetime of access tokens is not shown.',
    // Nothing is said about a token that dies while it is looked at.
    alter: ({ idp }: Behaviour) => {
      idp.introspection = 'reference'
      idp.accessTokenLifetime = 4
    },
  },
  {
    name: 'introspection-as-json-403',
    summary: 'A partner that asks for introspection is refused with 403 and a JSON body.',
    concerns: ['INTROSPECTION-UNAVAILABLE'],
    ambiguity: 'The HTML page with 400 is what a test in UAT met.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer) => {
        const body = { error: 'access_denied', error_description: 'Not for partners.' }
        Object.assign(answer, jsonAnswer(403, body))
      }),
  },
  {
    name: 'introspection-redirected-to-page',
    summary: 'A partner that asks for introspection is sent to an error page.',
    concerns: ['INTROSPECTION-UNAVAILABLE'],
    ambiguity: 'The HTML page with 400 is what a test in UAT met.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer) => {
        Object.assign(answer, { status: 302, headers: { location: '/mga/sps/error' }, body: '' })
      }),
  },
]

const discovery = [
  {
    name: 'discovery-extra-fields',
    summary: 'The discovery document has fields beyond the usual ones.',
    concerns: ['DISCOVERY-METADATA', 'DISCOVERY-FIELDS', 'DISCOVERY-CAPABILITIES'],
    ambiguity: 'The fields of the discovery document are not shown.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.discovery.push((answer) => {
        const fields = fieldsOf(answer)
        if (fields)
          Object.assign(fields, { 'x-release': 7, ui_locales_supported: ['fi', 'en'], op_policy_uri: null })
      }),
  },
  {
    name: 'discovery-minimal',
    summary: 'The discovery document holds the issuer and the endpoints alone.',
    concerns: ['DISCOVERY-METADATA', 'DISCOVERY-FIELDS', 'DISCOVERY-CAPABILITIES'],
    ambiguity: 'The fields of the discovery document are not shown.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.discovery.push((answer) => {
        const kept = Object.entries(fieldsOf(answer) ?? {}).filter(([name]) =>
          /^(issuer|jwks_uri|.*_endpoint)$/.test(name),
        )
        answer.body = Object.fromEntries(kept)
      }),
  },
  {
    name: 'discovery-under-other-names',
    summary:
      'The discovery document is plain text to its media type, names the issuer with a slash and other addresses.',
    concerns: [
      'DISCOVERY-PUBLIC',
      'DISCOVERY-METADATA',
      'DISCOVERY-ADDRESSES',
      'DISCOVERY-ISSUER',
      'DISCOVERY-MEDIA-TYPE',
      'KEYSET-ADDRESS',
    ],
    ambiguity: 'What the discovery document says is not shown, but for an introspection endpoint.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.discovery.push((answer) => {
        const fields = fieldsOf(answer)
        if (!fields) return
        answer.headers['content-type'] = 'text/plain'
        fields.issuer = `${fields.issuer}/`
        for (const [name, value] of Object.entries(fields)) {
          if (/_(?:endpoint|uri)$/.test(name)) fields[name] = `${value}?version=2`
        }
      }),
  },
  {
    name: 'end-announced',
    summary: 'Discovery and key set announce their end.',
    concerns: ['PLATFORM-DEPRECATION'],
    ambiguity: 'How the end of an interface is announced is not shown.',
    alter: ({ idp }: Behaviour) => {
      for (const endpoint of ['discovery', 'keySet'] as const)
        idp.answers[endpoint].push(({ headers }) => {
          headers.deprecation = '@1767225600'
          headers.sunset = 'Fri, 31 Dec 2027 23:59:59 GMT'
        })
    },
  },
]

const userinfo = [
  {
    name: 'userinfo-subject-only',
    summary: 'UserInfo gives the sub and nothing else.',
    concerns: ['USERINFO-BEARER', 'USERINFO-CLAIMS'],
    ambiguity: 'The claims of UserInfo are not shown.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.userinfo.push((answer) => {
        if (answer.status === 200) answer.body = { sub: fieldsOf(answer)?.sub }
      }),
  },
  {
    name: 'userinfo-as-html',
    summary: 'The JSON of UserInfo is labelled text/html.',
    concerns: ['USERINFO-BEARER', 'USERINFO-CLAIMS'],
    ambiguity: 'The body of UserInfo is not shown.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.userinfo.push((answer) => {
        if (answer.status === 200) answer.headers['content-type'] = 'text/html'
      }),
  },
  {
    name: 'userinfo-several-challenges',
    summary: 'A refused access token is answered with two challenges; Bearer stands second, without quotes.',
    concerns: ['USERINFO-CHALLENGE', 'USERINFO-CHALLENGE-ERROR'],
    ambiguity: 'WWW-Authenticate may hold several challenges, in either form (RFC 9110 section 11.6.1).',
    alter: ({ idp }: Behaviour) =>
      idp.answers.userinfo.push((answer) => {
        if (answer.headers['www-authenticate'])
          answer.headers['www-authenticate'] =
            'Basic realm="Bearer, \\"partners\\"", bEaReR realm="users", Error=invalid_token'
      }),
  },
  {
    name: 'userinfo-challenge-lines',
    summary: 'A refused access token is answered with two WWW-Authenticate headers.',
    concerns: ['USERINFO-CHALLENGE', 'USERINFO-CHALLENGE-ERROR'],
    ambiguity: 'A header of several values may be sent as several lines (RFC 9110 section 5.3).',
    alter: ({ idp }: Behaviour) =>
      idp.answers.userinfo.push((answer) => {
        const bearer = answer.headers['www-authenticate']
        if (typeof bearer === 'string') answer.headers['www-authenticate'] = ['Negotiate', bearer]
      }),
  },
  {
    name: 'userinfo-without-token-as-403',
    summary: 'A request without an access token is refused with 403.',
    concerns: ['USERINFO-TOKEN-REQUIRED'],
    ambiguity: 'How a request without a token is refused is not shown.',
    alter: ({ idp }: Behaviour) =>
      idp.answers.userinfo.push((answer, { headers }) => {
        if (!headers.authorization && answer.status >= 400) answer.status = 403
      }),
  },
]

/** How many reads lie between two that fail. */
const READS_BETWEEN_FAILURES = 25
const FIRST_FAILURE = 3

/** Answers one read in so many with 503. */
function unavailableNowAndThen(
  isRead: (received: Received) => boolean,
): (received: Received) => Answer | undefined {
  let reads = 0
  return (received) => {
    if (!isRead(received)) return undefined
    reads += 1
    if (reads % READS_BETWEEN_FAILURES !== FIRST_FAILURE) return undefined
    const answer = jsonAnswer(503, {
      error: 'temporarily_unavailable',
      error_description: 'Maintenance. Try again.',
    })
    answer.headers['retry-after'] = '1'
    return answer
  }
}

const everywhere = [
  {
    name: 'limited',
    summary: 'The limiter is on: 12 requests a second for each client, user and address.',
    concerns: [
      'PLATFORM-THROTTLE-BODY',
      'PLATFORM-THROTTLE-ERROR',
      'PLATFORM-THROTTLE-DESCRIPTION',
      'PLATFORM-RETRY-AFTER',
    ],
    ambiguity: 'Limits are not published and may change.',
    limit: { requests: 12, windowSeconds: 1 },
    alter: () => {},
  },
  {
    name: 'throttled-without-retry-after',
    summary: 'The limiter is on, and a throttled request is not told when to come back.',
    concerns: ['PLATFORM-RETRY-AFTER', 'PLATFORM-RETRY-AFTER-PRESENCE'],
    ambiguity: 'Retry-After is there "usually".',
    limit: { requests: 12, windowSeconds: 1 },
    alter: ({ throttled }: Behaviour) => {
      throttled.push(({ headers }) => {
        delete headers['retry-after']
      })
    },
  },
  {
    name: 'throttled-until-a-date',
    summary: 'The limiter is on; a throttled answer has more members, and a date in Retry-After.',
    concerns: ['PLATFORM-RETRY-AFTER', 'PLATFORM-THROTTLE-BODY'],
    ambiguity: 'Other members of the body are not excluded; a date is the other form of Retry-After.',
    limit: { requests: 12, windowSeconds: 1 },
    alter: ({ throttled }: Behaviour) => {
      throttled.push((answer) => {
        const seconds = Number(answer.headers['retry-after'])
        answer.headers['retry-after'] = new Date(Date.now() + (seconds + 1) * 1000).toUTCString()
        answer.body = { ...fieldsOf(answer), error_uri: 'https://partner.invalid/limits' }
      })
    },
  },
  {
    name: 'unavailable-now-and-then',
    summary: 'One read in 25 is answered with 503 and Retry-After.',
    concerns: ['DISCOVERY-PUBLIC', 'KEYSET-PUBLIC', 'USERINFO-BEARER', 'EVENT-PAGE-SHAPE'],
    ambiguity: 'Transient errors may come at any time.',
    alter: ({ idp, hub }: Behaviour) => {
      idp.admission.push(
        unavailableNowAndThen(({ method, path }) => {
          const endpoint = endpointOf(path)
          return method === 'GET' && endpoint !== undefined && endpoint !== 'authorization'
        }),
      )
      hub.admission.push(unavailableNowAndThen(({ method }) => method === 'GET'))
    },
  },
]

export const serviceVariants = [
  ...withFace('introspection', introspection),
  ...withFace('discovery', discovery),
  ...withFace('userinfo', userinfo),
  ...withFace('all', everywhere),
]
