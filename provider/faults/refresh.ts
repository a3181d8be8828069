import { type Behaviour, withFace } from '../behaviour.ts'
import { type Answer, fieldsOf, jsonAnswer, type Received } from '../http.ts'
import { adoptLastClient, grantType, onError, onSuccess, tokensForNobody } from './token-steps.ts'

/** Longer than two requests sent at the same moment are apart. */
const OVERLAP_MILLISECONDS = 40

/** Refreshes that run at the same time with the same token. */
function onLostRace({ idp }: Behaviour, lose: (answer: Answer) => void): void {
  const running = new Map<string, Set<Received>>()
  const racing = new WeakSet<Received>()
  idp.tokenRequest.push(async (form, received) => {
    const token = form.get('refresh_token')
    if (!token) return
    const together = running.get(token) ?? new Set()
    running.set(token, together.add(received))
    if (together.size > 1) for (const one of together) racing.add(one)
    // A slow store: both requests look the token up before either has used it.
    await new Promise((resolve) => setTimeout(resolve, OVERLAP_MILLISECONDS))
  })
  idp.answers.token.push((answer, received) => {
    const token = received.form?.get('refresh_token')
    if (!token) return
    running.get(token)?.delete(received)
    if (racing.has(received) && fieldsOf(answer)?.error === 'invalid_grant') lose(answer)
  })
}

/** Edits the body of a successful refresh. */
function onRefresh(
  behaviour: Behaviour,
  edit: (fields: Record<string, unknown>, answer: Answer) => void,
): void {
  onSuccess(behaviour, (fields, received, answer) => {
    if (grantType(received) === 'refresh_token') edit(fields, answer)
  })
}

export const refreshFaults = withFace('token', [
  {
    name: 'refresh-repeats-access-token',
    summary: 'A refresh gives the access token the client already has.',
    violates: ['TOKEN-REFRESH-NEW'],
    alter: ({ idp }: Behaviour) => {
      const accessTokens = new Map<unknown, unknown>()
      idp.answers.token.push((answer, { form }) => {
        const fields = fieldsOf(answer)
        if (answer.status !== 200 || !fields) return
        const earlier = accessTokens.get(form?.get('refresh_token'))
        if (earlier) fields.access_token = earlier
        accessTokens.set(fields.refresh_token, fields.access_token)
      })
    },
  },
  {
    name: 'old-refresh-token-accepted',
    summary: 'A refresh token still works after it was rotated out.',
    violates: ['TOKEN-REFRESH-OLD-REFUSED'],
    alter: ({ idp }: Behaviour) => {
      idp.reusable = (model) => model === 'RefreshToken'
    },
  },
  {
    name: 'old-refresh-token-with-401',
    summary: 'A refresh token that was rotated out is refused with 401 invalid_token.',
    violates: ['TOKEN-REFRESH-OLD-REFUSED'],
    consequences: ['TOKEN-REFRESH-RACE'],
    alter: ({ idp }: Behaviour) => {
      const used = new WeakSet<Received>()
      idp.refreshTokenFound.push((found, received) => {
        if (found.consumed) used.add(received)
      })
      idp.answers.token.push((answer, received) => {
        if (!used.has(received)) return
        Object.assign(
          answer,
          jsonAnswer(401, { error: 'invalid_token', error_description: 'The token was used.' }),
        )
      })
    },
  },
  {
    name: 'lost-refresh-race-with-409',
    summary: 'Of two concurrent refreshes with one token, the loser gets status 409.',
    violates: ['TOKEN-REFRESH-RACE'],
    alter: (behaviour: Behaviour) =>
      onLostRace(behaviour, (answer) => {
        answer.status = 409
      }),
  },
  {
    name: 'refresh-with-201',
    summary: 'A refresh is answered with status 201.',
    violates: ['TOKEN-REFRESH'],
    alter: (behaviour: Behaviour) =>
      onRefresh(behaviour, (_, answer) => {
        answer.status = 201
      }),
  },
  {
    name: 'refresh-scope-number',
    summary: 'The scope of a refresh is a number.',
    violates: ['TOKEN-REFRESH-SCOPE'],
    alter: (behaviour: Behaviour) =>
      onRefresh(behaviour, (fields) => {
        fields.scope = 1
      }),
  },
  {
    name: 'refresh-token-type-missing',
    summary: 'The answer to a refresh has no token_type.',
    violates: ['TOKEN-REFRESH-TYPE'],
    alter: (behaviour: Behaviour) =>
      onRefresh(behaviour, (fields) => {
        delete fields.token_type
      }),
  },
  {
    name: 'refresh-expires-in-as-text',
    summary: 'expires_in of a refresh is a string.',
    violates: ['TOKEN-REFRESH-EXPIRES-IN'],
    alter: (behaviour: Behaviour) =>
      onRefresh(behaviour, (fields) => {
        fields.expires_in = String(fields.expires_in)
      }),
  },
  {
    name: 'refresh-token-null',
    summary: 'A refresh that keeps its refresh token says so with null.',
    violates: ['TOKEN-REFRESH-TOKEN-FORM'],
    alter: (behaviour: Behaviour) => {
      behaviour.idp.refreshRotation = 'repeat'
      onRefresh(behaviour, (fields) => {
        fields.refresh_token = null
      })
    },
  },
  {
    name: 'rotated-refresh-token-not-stored',
    summary: 'The refresh token that a refresh brings is unknown to the provider.',
    violates: ['TOKEN-REFRESH-NEWEST'],
    alter: (behaviour: Behaviour) =>
      onRefresh(behaviour, (fields) => {
        fields.refresh_token = `${fields.refresh_token}-2`
      }),
  },
  {
    name: 'refresh-without-client-authentication',
    summary: 'A refresh without client credentials succeeds.',
    violates: ['TOKEN-REFRESH-CLIENT-AUTH'],
    alter: (behaviour: Behaviour) =>
      adoptLastClient(
        behaviour,
        (form, { headers }) =>
          form.get('grant_type') === 'refresh_token' && !headers.authorization && !form.has('client_id'),
      ),
  },
  {
    name: 'refresh-with-client-id-alone',
    summary: 'A refresh needs the client_id, but no secret.',
    violates: ['TOKEN-REFRESH-SECRET-MISSING'],
    alter: (behaviour: Behaviour) =>
      adoptLastClient(
        behaviour,
        (form, { headers }) =>
          form.get('grant_type') === 'refresh_token' &&
          !headers.authorization &&
          form.has('client_id') &&
          !form.has('client_secret'),
      ),
  },
  {
    name: 'refresh-token-of-another-client-refreshed-without-grant',
    summary: 'A client without the refresh grant can refresh with the refresh token of another client.',
    violates: ['TOKEN-REFRESH-OTHER-CLIENT'],
    alter: (behaviour: Behaviour) => {
      const issued = new Set<unknown>()
      onSuccess(behaviour, ({ refresh_token: token }) => issued.add(token))
      onError(behaviour, (fields, { form }, answer) => {
        if (fields.error === 'unauthorized_client' && issued.has(form?.get('refresh_token')))
          Object.assign(answer, tokensForNobody())
      })
    },
  },
  {
    name: 'unknown-refresh-token-accepted',
    summary: 'A refresh token that was never issued brings an access token.',
    violates: ['TOKEN-REFRESH-UNKNOWN'],
    alter: (behaviour: Behaviour) => {
      const issued = new Set<unknown>()
      onSuccess(behaviour, ({ refresh_token: token }) => issued.add(token))
      onError(behaviour, (fields, { form }, answer) => {
        const token = form?.get('refresh_token')
        if (fields.error === 'invalid_grant' && token && !issued.has(token))
          Object.assign(answer, tokensForNobody())
      })
    },
  },
  {
    name: 'refresh-token-of-another-client-accepted',
    summary: 'A client can refresh with the refresh token of another client.',
    violates: ['TOKEN-REFRESH-OTHER-CLIENT'],
    variants: ['second-application-may-refresh'],
    alter: ({ idp }: Behaviour) => {
      const adopt = (found: { clientId?: string }, received: Received) => {
        if (grantType(received) === 'refresh_token' && received.client) found.clientId = received.client
      }
      idp.refreshTokenFound.push(adopt)
      idp.grantFound.push(adopt)
    },
  },
  {
    name: 'lost-refresh-race-as-invalid-request',
    summary: 'Of two concurrent refreshes with one token, the loser is told invalid_request.',
    violates: ['TOKEN-REFRESH-RACE'],
    alter: (behaviour: Behaviour) =>
      onLostRace(behaviour, (answer) => {
        const fields = fieldsOf(answer)
        if (fields) fields.error = 'invalid_request'
      }),
  },
  {
    name: 'refresh-answered-with-error-and-200',
    summary: 'A refresh answers 200 with an error.',
    violates: ['TOKEN-REFRESH'],
    consequences: ['TOKEN-REFRESH-RACE'],
    alter: (behaviour: Behaviour) =>
      onRefresh(behaviour, (_, answer) => {
        answer.body = { error: 'server_error', error_description: 'Please try again.' }
      }),
  },
])
