import { randomUUID } from 'node:crypto'
import { presenting } from '../../src/check/options.ts'
import { partnerHeaders } from '../../src/event-hub/search.ts'
import { partnerApiOf } from '../../src/target/target.ts'
import { check } from './requirements.ts'

check(
  'EVENT-CREDENTIALS-REQUIRED',
  'a search without credentials is refused',
  { effects: ['bad-credentials'] },
  async ({ credentials, events, observe }) => {
    const answer = await credentials.answerWithoutCredentials()
    events.refused(answer)
    observe('events.without-credentials.status', answer.status)
  },
)

check(
  'EVENT-SECRET-REQUIRED',
  'a search with only `X-Client-Id` is refused',
  { effects: ['bad-credentials'] },
  async ({ credentials, events, observe }) => {
    await credentials.matter()
    const answer = await credentials.answerToIdOnly()
    events.refused(answer)
    observe('events.without-secret.status', answer.status)
  },
)

check(
  'EVENT-CLIENT-ID-REQUIRED',
  'a search with only `X-Client-Secret` is refused',
  { effects: ['bad-credentials'] },
  async ({ credentials, events, observe }) => {
    await credentials.matter()
    const answer = await credentials.answerToSecretOnly()
    events.refused(answer)
    observe('events.without-id.status', answer.status)
  },
)

check(
  'EVENT-CLIENT-ID-WRONG',
  'a search with an unknown `X-Client-Id` is refused',
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
  "a search with another partner's `X-Client-Secret` is refused",
  { effects: ['credential-probes'], needs: ['unentitledPartner'] },
  async ({ credentials, events, target, observe, inconclusive }) => {
    await credentials.secretIsCompared()
    const unentitledPartner = credentials.unentitled()
    const partner = partnerApiOf(target).credentials
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
  'a search with an unknown `X-Client-Secret` is refused',
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
  presenting,
  async ({ credentials, events, tokens, observe }) => {
    await credentials.matter()
    const { accessToken } = await tokens.first()
    const answer = await credentials.answerToBearer('access token', accessToken)
    events.refused(answer)
    observe('events.access-token.status', answer.status)
  },
)

check(
  'EVENT-NO-ID-TOKEN',
  "a user's ID token in place of credentials is refused",
  presenting,
  async ({ credentials, events, tokens, observe, inconclusive }) => {
    await credentials.matter()
    const { accessToken, idToken } = await tokens.first()
    if (idToken === undefined)
      return inconclusive('there is no ID token', { dependsOn: ['TOKEN-ID-TOKEN-ISSUED'] })
    if (credentials.isServed(await credentials.answerToBearer('access token', accessToken)))
      return inconclusive('a search with an access token is accepted', { dependsOn: ['EVENT-NO-OAUTH'] })
    const answer = await credentials.answerToBearer('ID token', idToken)
    events.refused(answer)
    observe('events.id-token.status', answer.status)
  },
)

// With the partner's secret: the secret of the OAuth client is sent to the identity provider only.
check(
  'EVENT-NO-BASIC',
  'HTTP Basic credentials in place of the headers are refused',
  { effects: ['bad-credentials'] },
  async ({ credentials, events, target, observe }) => {
    await credentials.matter()
    const answer = await credentials.answerToBasic(partnerApiOf(target).credentials)
    events.refused(answer)
    observe('events.basic.status', answer.status)
  },
)

check(
  'EVENT-NO-OAUTH',
  "a user's access token in place of the secret is refused",
  presenting,
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
  'a search by a partner without the Event Hub is refused with 403',
  { effects: ['bad-credentials'], needs: ['unentitledPartner'] },
  async ({ credentials, events, inconclusive }) => {
    await credentials.matter()
    const answer = await events.answerToUnentitled(credentials.unentitled())
    if (answer.status !== 403 && answer.text.includes('FEATURE_DISABLED'))
      return inconclusive(`the refusal has status ${answer.status}`, {
        dependsOn: ['PLATFORM-FEATURE-DISABLED'],
      })
    if (answer.status === 401) {
      return inconclusive('the credentials were refused', {
        variables: ['UNENTITLED_CLIENT_ID', 'UNENTITLED_CLIENT_SECRET'],
      })
    }
    events.rejected(answer, 403)
  },
)
