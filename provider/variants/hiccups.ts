import { type Behaviour, withFace } from '../behaviour.ts'
import { type Answer, htmlAnswer, jsonAnswer, type Received } from '../http.ts'
import { INTERACTION_PATH, PATHS } from '../identity/paths.ts'

/** Answers the first requests of a kind with a passing failure. */
function atFirst(
  { idp }: Behaviour,
  times: number,
  isOne: (received: Received) => boolean,
  failure: () => Answer,
): void {
  let met = 0
  idp.admission.push((received) => {
    if (!isOne(received)) return undefined
    met += 1
    return met <= times ? failure() : undefined
  })
}

const isLogin = (method: string) => (received: Received) =>
  received.method === method && received.path.startsWith(`${INTERACTION_PATH}/`)

const badGateway = () => htmlAnswer(502, '<!doctype html><title>Bad gateway</title>')
const tooMany = (): Answer => {
  const answer = jsonAnswer(429, {
    error: 'temporarily_unavailable',
    error_description: 'Too many requests.',
  })
  answer.headers['retry-after'] = '1'
  return answer
}

const ambiguity = 'A transient failure may come at any time, and is to be tried again after.'
const flow = ['AUTHZ-CODE-FLOW', 'AUTHZ-STATE-ECHO', 'TOKEN-CODE-EXCHANGE']

/** Providers that are down, or throttle, for a moment that a run must get over. */
export const hiccups = [
  ...withFace('authorization', [
    {
      name: 'login-page-unavailable-at-first',
      summary: 'The first two requests for the login page are answered 502.',
      concerns: flow,
      ambiguity,
      decided: flow,
      alter: (behaviour: Behaviour) => atFirst(behaviour, 2, isLogin('GET'), badGateway),
    },
    {
      name: 'login-unavailable-at-first',
      summary: 'The first login that is sent is answered 502.',
      concerns: flow,
      ambiguity,
      decided: flow,
      alter: (behaviour: Behaviour) => atFirst(behaviour, 1, isLogin('POST'), badGateway),
    },
    {
      name: 'login-throttled-at-first',
      summary: 'The first login that is sent is answered 429.',
      concerns: flow,
      ambiguity,
      decided: flow,
      alter: (behaviour: Behaviour) => atFirst(behaviour, 1, isLogin('POST'), tooMany),
    },
  ]),
  ...withFace('token', [
    {
      name: 'second-login-unavailable-at-first',
      summary: 'The second login of a user is answered 502 once.',
      concerns: ['TOKEN-CODE-SINGLE-USE', 'SUBJECT-STABLE'],
      ambiguity,
      decided: ['TOKEN-CODE-SINGLE-USE', 'SUBJECT-STABLE'],
      alter: ({ idp }: Behaviour) => {
        const seen = new Set<string>()
        let failed = false
        idp.admission.push(({ method, path, form }) => {
          if (method !== 'POST' || !path.startsWith(`${INTERACTION_PATH}/`) || !form?.has('password'))
            return undefined
          seen.add(path)
          if (seen.size < 2 || failed) return undefined
          failed = true
          return badGateway()
        })
      },
    },
    {
      name: 'token-unavailable-at-first',
      summary: 'The first token request is answered 500.',
      concerns: ['TOKEN-CODE-EXCHANGE', 'IDTOKEN-SIGNATURE', 'USERINFO-BEARER'],
      ambiguity,
      decided: ['TOKEN-CODE-EXCHANGE', 'IDTOKEN-SIGNATURE', 'USERINFO-BEARER'],
      alter: (behaviour: Behaviour) =>
        atFirst(
          behaviour,
          1,
          ({ path }) => path === PATHS.token,
          () => jsonAnswer(500, { error: 'server_error', error_description: 'Something went wrong.' }),
        ),
    },
  ]),
]
