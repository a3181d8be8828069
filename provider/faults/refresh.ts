import { type Behaviour, withFace } from '../behaviour.ts'
import { type Answer, fieldsOf, jsonAnswer, type Received } from '../http.ts'

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

export const refreshFaults = withFace('token', [
  {
    name: 'refresh-repeats-access-token',
    summary: 'A refresh gives the access token the client already has.',
    violates: ['TOKEN-REFRESH'],
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
])
