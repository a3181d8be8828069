import { type Behaviour, withFace } from '../behaviour.ts'
import type { Partner } from '../deployment.ts'
import { htmlAnswer, jsonAnswer, type Received } from '../http.ts'

function isAnonymous({ headers }: Received): boolean {
  return headers['x-client-id'] === undefined && headers['x-client-secret'] === undefined
}

/** Lets requests in that come from an entitled partner by another rule than the lawful one. */
function admit(
  { hub }: Behaviour,
  isFrom: (received: Received, partner: Partner, partners: readonly Partner[]) => boolean,
): void {
  const { credentials } = hub
  hub.credentials = (received, partners) => {
    const partner = partners.find((candidate) => candidate.eventHub && isFrom(received, candidate, partners))
    return partner ? { verdict: 'known', partner } : credentials(received, partners)
  }
}

/** Who may search. */
export const eventCredentialFaults = withFace('hub', [
  {
    name: 'hub-without-credentials',
    summary: 'A search without X-Client-Id is served.',
    violates: ['EVENT-CREDENTIALS-REQUIRED'],
    alter: ({ hub }: Behaviour) => {
      const { credentials } = hub
      hub.credentials = (received, partners) => {
        const anyone = partners.find(({ eventHub }) => eventHub)
        const anonymous = received.headers['x-client-id'] === undefined
        return anonymous && anyone ? { verdict: 'known', partner: anyone } : credentials(received, partners)
      }
    },
  },
  {
    name: 'nobody-refused-with-events',
    summary: 'A search without credentials is answered 401, with the page that was asked for.',
    violates: ['EVENT-CREDENTIALS-REQUIRED'],
    alter: ({ hub }: Behaviour) => {
      const { credentials } = hub
      hub.credentials = (received, partners) => {
        const entitled = partners.find(({ eventHub }) => eventHub)
        return isAnonymous(received) && entitled
          ? { verdict: 'known', partner: entitled }
          : credentials(received, partners)
      }
      hub.answers.push((answer, received) => {
        if (isAnonymous(received)) answer.status = 401
      })
    },
  },
  {
    name: 'hub-id-is-enough',
    summary: 'A known X-Client-Id without X-Client-Secret is served.',
    violates: ['EVENT-SECRET-REQUIRED'],
    alter: (behaviour: Behaviour) =>
      admit(
        behaviour,
        ({ headers }, { id }) => headers['x-client-id'] === id && headers['x-client-secret'] === undefined,
      ),
  },
  {
    name: 'hub-secret-is-enough',
    summary: 'A known X-Client-Secret without X-Client-Id is served.',
    violates: ['EVENT-CLIENT-ID-REQUIRED'],
    alter: (behaviour: Behaviour) =>
      admit(
        behaviour,
        ({ headers }, { secret }) =>
          headers['x-client-id'] === undefined && headers['x-client-secret'] === secret,
      ),
  },
  {
    name: 'hub-id-not-checked',
    summary: 'Any X-Client-Id goes with a known X-Client-Secret.',
    violates: ['EVENT-CLIENT-ID-WRONG'],
    alter: (behaviour: Behaviour) =>
      admit(
        behaviour,
        ({ headers }, { secret }, partners) =>
          headers['x-client-secret'] === secret &&
          headers['x-client-id'] !== undefined &&
          !partners.some(({ id }) => id === headers['x-client-id']),
      ),
  },
  {
    name: 'hub-takes-any-partners-secret',
    summary: 'The X-Client-Secret of any partner goes with a known X-Client-Id.',
    violates: ['EVENT-SECRET-OF-ANOTHER'],
    alter: (behaviour: Behaviour) =>
      admit(
        behaviour,
        ({ headers }, { id }, partners) =>
          headers['x-client-id'] === id &&
          partners.some(({ secret }) => secret === headers['x-client-secret']),
      ),
  },
  {
    name: 'hub-takes-bearer-token-for-secret',
    summary: 'An OAuth access token beside a known X-Client-Id opens the Event Hub without X-Client-Secret.',
    violates: ['EVENT-NO-OAUTH'],
    alter: (behaviour: Behaviour) =>
      admit(
        behaviour,
        ({ headers }, { id }) =>
          headers['x-client-id'] === id &&
          /^bearer [\w-]+\.[\w-]+\.[\w-]+$/i.test(headers.authorization ?? ''),
      ),
  },
  {
    name: 'hub-secret-not-checked',
    summary: 'Any X-Client-Secret goes with a known X-Client-Id.',
    violates: ['EVENT-SECRET-WRONG'],
    alter: ({ hub }: Behaviour) => {
      hub.credentials = ({ headers }, partners) => {
        const given = headers['x-client-secret'] !== undefined
        const partner = partners.find(({ id }) => given && id === headers['x-client-id'])
        return partner ? { verdict: 'known', partner } : { verdict: 'refused' }
      }
    },
  },
  {
    name: 'hub-accepts-bearer-token',
    summary: 'An OAuth access token opens the Event Hub in place of the static headers.',
    violates: ['EVENT-NO-OAUTH'],
    alter: ({ hub }: Behaviour) => {
      const { credentials } = hub
      hub.credentials = (received, partners) => {
        const owner = partners.find(({ eventHub }) => eventHub)
        const bearer = /^bearer [\w-]+\.[\w-]+\.[\w-]+$/i.test(received.headers.authorization ?? '')
        return bearer && owner ? { verdict: 'known', partner: owner } : credentials(received, partners)
      }
    },
  },
  {
    name: 'unentitled-partner-served',
    summary: 'A partner without the Event Hub can search it.',
    violates: ['EVENT-UNENTITLED'],
    alter: ({ hub }: Behaviour) => {
      hub.entitled = () => true
    },
  },
  {
    name: 'unentitled-partner-gets-empty-page',
    summary: 'A partner without the Event Hub gets an empty page with status 200.',
    violates: ['EVENT-UNENTITLED'],
    alter: ({ hub }: Behaviour) => {
      hub.unentitled = () => jsonAnswer(200, { page: 0, pageSize: 10, total: 0, items: [] })
    },
  },
  {
    name: 'unentitled-partner-refused-with-events',
    summary: 'A partner without the Event Hub gets 403, with the page that was asked for.',
    violates: ['EVENT-UNENTITLED'],
    alter: ({ hub }: Behaviour) => {
      const { entitled } = hub
      let refused = false
      hub.entitled = (partner) => {
        refused = !entitled(partner)
        return true
      }
      hub.answers.push((answer) => {
        if (refused) answer.status = 403
        refused = false
      })
    },
  },
  {
    name: 'unentitled-partner-gets-404',
    summary: 'A partner without the Event Hub gets 404.',
    violates: ['EVENT-UNENTITLED'],
    alter: ({ hub }: Behaviour) => {
      hub.unentitled = () => htmlAnswer(404, '<!doctype html><title>Not found</title>')
    },
  },
])
