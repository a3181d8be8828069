import { randomBytes } from 'node:crypto'
import { partnerHeaders } from '../../src/event-hub/search.ts'
import { check } from './requirements.ts'

check(
  'EVENT-CREDENTIALS-REQUIRED',
  'a search without credentials is refused',
  async ({ events, observe }) => {
    const answer = await events.answerToNobody()
    events.refused(answer)
    observe('events.without-credentials.status', answer.status)
  },
)

check(
  'EVENT-SECRET-REQUIRED',
  'a search with an id alone is refused',
  async ({ events, target, observe }) => {
    await events.credentialsMatter()
    const answer = await events.answerTo([['X-Client-Id', target.partner.id]], 'without X-Client-Secret')
    events.refused(answer)
    observe('events.without-secret.status', answer.status)
  },
)

check(
  'EVENT-SECRET-REQUIRED',
  'a search with a wrong secret is refused',
  { effects: ['credential-probes'] },
  async ({ events, target, observe }) => {
    await events.credentialsMatter()
    const wrong = { id: target.partner.id, secret: randomBytes(24).toString('hex') }
    const answer = await events.answerTo(partnerHeaders(wrong), 'with a random X-Client-Secret')
    events.refused(answer)
    observe('events.wrong-secret.status', answer.status)
  },
)

check(
  'EVENT-NO-OAUTH',
  "a user's access token in place of credentials is refused",
  { effects: ['login'], needs: ['user'] },
  async ({ events, identity, observe }) => {
    await events.credentialsMatter()
    const { accessToken } = await identity.tokens()
    const bearer = ['Authorization', `Bearer ${accessToken}`] as const
    const answer = await events.answerTo([bearer], 'with an access token in place of the credentials')
    events.refused(answer)
    observe('events.access-token.status', answer.status)
  },
)

check(
  'EVENT-UNENTITLED',
  'a partner without the Event Hub gets 403',
  { needs: ['unentitledPartner'] },
  async ({ events, expect, target, inconclusive }) => {
    await events.credentialsMatter()
    if (!target.unentitledPartner) return
    const answer = await events.answerTo(
      partnerHeaders(target.unentitledPartner),
      'of a partner without the Event Hub',
    )
    if (answer.status === 401) {
      return inconclusive(
        'the credentials were not recognised; check UNENTITLED_CLIENT_ID and UNENTITLED_CLIENT_SECRET',
        'configuration',
      )
    }
    expect.status(answer, 403)
  },
)
