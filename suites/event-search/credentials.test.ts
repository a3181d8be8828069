import { loginAndBadCredentials } from '../../src/check/check-options.ts'
import { featureDisabled } from '../../src/check/feature-disabled.ts'
import { unlessUndecided } from '../../src/check/obstacle.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import { type PartnerHeader, partnerHeaders } from '../../src/event-hub/search.ts'
import { partnerApiOf } from '../../src/target/parts.ts'
import { check } from './requirements.ts'

check(
  'EVENT-CREDENTIALS-REQUIRED',
  'a search without credentials is refused',
  { effects: ['bad-credentials'] },
  async ({ credentials, events, observe }) => {
    const response = await credentials.responseWithoutCredentials()
    events.expectRefusal(response, 'any status')
    const later = await credentials.laterResponseWithoutCredentials()
    if (later) events.expectRefusal(later, 'any status')
    observe('events.without-credentials.status', response.status)
  },
)

for (const [id, only, absent, key] of [
  ['EVENT-SECRET-REQUIRED', 'X-Client-Id', 'X-Client-Secret', 'without-secret'],
  ['EVENT-CLIENT-ID-REQUIRED', 'X-Client-Secret', 'X-Client-Id', 'without-id'],
] as const) {
  check(
    id,
    `a search with only \`${only}\` is refused`,
    { effects: ['bad-credentials'] },
    async ({ credentials, events, observe }) => {
      await credentials.requireCredentialsMatter()
      const response = await credentials.responseWithout(absent)
      events.expectRefusal(response, 'any status')
      observe(`events.${key}.status`, response.status)
    },
  )
}

checkUnknown('EVENT-CLIENT-ID-WRONG', 'X-Client-Id', 'wrong-id')

check(
  'EVENT-SECRET-OF-ANOTHER',
  "a search with another partner's `X-Client-Secret` is refused",
  { effects: ['credential-probes'], needs: ['unentitledPartner'] },
  async ({ credentials, events, target, observe }) => {
    await credentials.requireSecretCompared()
    const unentitledPartner = credentials.unentitled()
    const partner = partnerApiOf(target).credentials
    if (unentitledPartner.secret === partner.secret) {
      return inconclusive('both partners have the same secret', { variables: ['UNENTITLED_CLIENT_SECRET'] })
    }
    const mixed = { id: partner.id, secret: unentitledPartner.secret }
    const response = await credentials.laterSearchWithHeaders(
      partnerHeaders(mixed),
      "with another partner's X-Client-Secret",
    )
    events.expectRefusal(response, 'any status')
    observe('events.secret-of-another.status', response.status)
  },
)

checkUnknown('EVENT-SECRET-WRONG', 'X-Client-Secret', 'wrong-secret')

/** @param key of the observation of the status */
function checkUnknown(
  id: 'EVENT-CLIENT-ID-WRONG' | 'EVENT-SECRET-WRONG',
  header: PartnerHeader,
  key: string,
): void {
  check(
    id,
    `a search with an unknown \`${header}\` is refused`,
    { effects: ['credential-probes'] },
    async ({ credentials, events, observe }) => {
      await credentials.requireHeaderMatters(header)
      const response = await credentials.responseToUnknown(header)
      events.expectRefusal(response, 'any status')
      observe(`events.${key}.status`, response.status)
    },
  )
}

check(
  'EVENT-NO-OAUTH',
  "a user's access token in place of credentials is refused",
  loginAndBadCredentials,
  async ({ credentials, events, tokens, observe }) => {
    await credentials.requireCredentialsMatter()
    const { accessToken } = await tokens.first()
    const response = await credentials.responseToBearer('access token', accessToken)
    events.expectRefusal(response, 'any status')
    observe('events.access-token.status', response.status)
  },
)

check(
  'EVENT-NO-ID-TOKEN',
  "a user's ID token in place of credentials is refused",
  loginAndBadCredentials,
  async ({ credentials, events, tokens, observe }) => {
    await credentials.requireCredentialsMatter()
    const { accessToken, idToken } = await tokens.first()
    if (idToken === undefined) return inconclusive('there is no ID token', ['TOKEN-ID-TOKEN-ISSUED'])
    if (events.acceptsOrDiscloses(await credentials.responseToBearer('access token', accessToken)))
      return inconclusive('a search with an access token is accepted', ['EVENT-NO-OAUTH'])
    const response = await credentials.responseToBearer('ID token', idToken)
    events.expectRefusal(response, 'any status')
    observe('events.id-token.status', response.status)
  },
)

// Sends the secret of the partner, not that of the OAuth client, which Plumbline sends only to the identity provider.
check(
  'EVENT-NO-BASIC',
  'HTTP Basic credentials in place of the headers are refused',
  { effects: ['bad-credentials'] },
  async ({ credentials, events, target, observe }) => {
    await credentials.requireCredentialsMatter()
    const response = await credentials.responseToBasic(partnerApiOf(target).credentials)
    events.expectRefusal(response, 'any status')
    observe('events.basic.status', response.status)
  },
)

check(
  'EVENT-NO-OAUTH',
  "a user's access token in place of the secret is refused",
  loginAndBadCredentials,
  async ({ credentials, events, tokens, target, observe }) => {
    await credentials.requireHeaderMatters('X-Client-Secret')
    // A refreshed token, if there is one, for variety: another check sends the first token in place of both headers.
    const refreshed = await unlessUndecided(tokens.refreshedAccessToken())
    const accessToken = refreshed ?? (await tokens.first()).accessToken
    const headers = [
      ['X-Client-Id', partnerApiOf(target).credentials.id],
      ['Authorization', `Bearer ${accessToken}`],
    ] as const
    const response = await credentials.laterSearchWithHeaders(
      headers,
      'with an access token in place of X-Client-Secret',
    )
    events.expectRefusal(response, 'any status')
    observe('events.id-and-access-token.status', response.status)
  },
)

check(
  'EVENT-UNENTITLED',
  'a search by a partner without the Event Hub is refused with 403',
  { effects: ['bad-credentials'], needs: ['unentitledPartner'] },
  async ({ credentials, events, target, note }) => {
    const partner = credentials.unentitled()
    if (partner.id === partnerApiOf(target).credentials.id)
      return inconclusive('UNENTITLED_CLIENT_ID is the partner of PARTNER_CLIENT_ID', {
        variables: ['UNENTITLED_CLIENT_ID'],
        advice: 'set UNENTITLED_CLIENT_ID to a partner without the Event Hub, or unset it',
      })
    await credentials.requireCredentialsMatter()
    const response = await events.responseToUnentitled(partner)
    await credentials.requireDueToCredentials(response)
    if (response.status !== 403 && response.text.includes(featureDisabled))
      return inconclusive(`the refusal has status ${response.status}`, ['PLATFORM-FEATURE-DISABLED'])
    const { status } = response
    // If invalid credentials have the same status, the target may just not know those of this partner.
    const refusedAlike = status < 400 ? undefined : await credentials.invalidWithStatus(status)
    if (status === 401 || (status !== 403 && refusedAlike !== undefined)) {
      return inconclusive(
        refusedAlike === undefined
          ? 'the credentials were refused'
          : `the refusal has status ${status}, like that of a search ${refusedAlike}`,
        { variables: ['UNENTITLED_CLIENT_ID', 'UNENTITLED_CLIENT_SECRET'] },
      )
    }
    if (refusedAlike !== undefined)
      note(
        `a search ${refusedAlike} is refused with 403 too, so UNENTITLED_CLIENT_ID may be unknown to the target`,
      )
    if (['page', 'pageSize', 'total'].some((name) => name in Object(response.json)))
      note('the refusal has members of a page')
    events.expectRefusal(response, 403)
  },
)
