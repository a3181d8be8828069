import { randomUUID } from 'node:crypto'
import { partnerHeaders } from '../../src/event-hub/search.ts'
import { partnerApiOf } from '../../src/target/target.ts'
import { check } from './requirements.ts'

check(
  'EVENT-CREDENTIALS-REQUIRED',
  'a search without credentials is refused',
  async ({ credentials, events, observe }) => {
    const answer = await credentials.answerWithoutCredentials()
    events.refused(answer)
    observe('events.without-credentials.status', answer.status)
  },
)

check(
  'EVENT-SECRET-REQUIRED',
  'a search with an id alone is refused',
  async ({ credentials, events, observe }) => {
    await credentials.matter()
    const answer = await credentials.answerToIdOnly()
    events.refused(answer)
    observe('events.without-secret.status', answer.status)
  },
)

check(
  'EVENT-CLIENT-ID-REQUIRED',
  'a search with a secret alone is refused',
  async ({ credentials, events, observe }) => {
    await credentials.matter()
    const answer = await credentials.answerToSecretOnly()
    events.refused(answer)
    observe('events.without-id.status', answer.status)
  },
)

check(
  'EVENT-CLIENT-ID-WRONG',
  'a search with an unknown id is refused',
  { effects: ['credential-probes'] },
  async ({ credentials, events, target, observe }) => {
    await credentials.idMatters()
    const unknown = { id: randomUUID(), secret: partnerApiOf(target).credentials.secret }
    const answer = await events.answerTo(partnerHeaders(unknown), 'with a random X-Client-Id')
    events.refused(answer)
    observe('events.wrong-id.status', answer.status)
  },
)

check(
  'EVENT-SECRET-OF-ANOTHER',
  "a search with another partner's secret is refused",
  { effects: ['credential-probes'], needs: ['unentitledPartner'] },
  async ({ credentials, events, target, observe, inconclusive }) => {
    await credentials.secretIsCompared()
    const { unentitledPartner } = target
    const partner = partnerApiOf(target).credentials
    if (!unentitledPartner) return
    if (unentitledPartner.secret === partner.secret) {
      return inconclusive('both partners have the same secret', { variables: ['UNENTITLED_CLIENT_SECRET'] })
    }
    const mixed = { id: partner.id, secret: unentitledPartner.secret }
    const answer = await events.answerTo(partnerHeaders(mixed), "with another partner's X-Client-Secret")
    events.refused(answer)
    observe('events.secret-of-another.status', answer.status)
  },
)

check(
  'EVENT-SECRET-WRONG',
  'a search with a wrong secret is refused',
  { effects: ['credential-probes'] },
  async ({ credentials, events, observe }) => {
    await credentials.secretMatters()
    const answer = await credentials.answerToWrongSecret()
    events.refused(answer)
    observe('events.wrong-secret.status', answer.status)
  },
)

check(
  'EVENT-NO-OAUTH',
  "a user's access token in place of credentials is refused",
  { effects: ['login'], needs: ['user'] },
  async ({ credentials, events, tokens, observe }) => {
    await credentials.matter()
    const { accessToken } = await tokens.first()
    const bearer = ['Authorization', `Bearer ${accessToken}`] as const
    const answer = await events.answerTo([bearer], 'with an access token in place of the credentials')
    events.refused(answer)
    observe('events.access-token.status', answer.status)
  },
)

check(
  'EVENT-NO-OAUTH',
  "a user's access token in place of the secret is refused",
  { effects: ['login'], needs: ['user'] },
  async ({ credentials, events, tokens, target, observe }) => {
    await credentials.secretMatters()
    const { accessToken } = await tokens.first()
    const headers = [
      ['X-Client-Id', partnerApiOf(target).credentials.id],
      ['Authorization', `Bearer ${accessToken}`],
    ] as const
    const answer = await events.answerTo(headers, 'with an access token in place of X-Client-Secret')
    events.refused(answer)
    observe('events.id-and-access-token.status', answer.status)
  },
)

check(
  'EVENT-UNENTITLED',
  'a partner without the Event Hub gets 403',
  { needs: ['unentitledPartner'] },
  async ({ credentials, events, expect, target, inconclusive }) => {
    await credentials.matter()
    if (!target.unentitledPartner) return
    const answer = await events.answerToUnentitled(target.unentitledPartner)
    if (answer.status !== 403 && answer.object?.type === 'FEATURE_DISABLED')
      return inconclusive(`it was refused with status ${answer.status}`, {
        dependsOn: ['PLATFORM-FEATURE-DISABLED'],
      })
    if (answer.status === 401) {
      return inconclusive('the credentials were not recognised', {
        variables: ['UNENTITLED_CLIENT_ID', 'UNENTITLED_CLIENT_SECRET'],
      })
    }
    expect.status(answer, 403)
    events.disclosesNoEvent(answer)
  },
)
