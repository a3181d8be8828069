import { type Behaviour, withFace } from '../behaviour.ts'
import type { Partner } from '../deployment.ts'
import { headerValue, htmlAnswer, jsonAnswer, type Received } from '../http.ts'

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

/** Credentials of an entitled partner that are not whole, or not theirs. */
const halves: readonly {
  name: string
  what: string
  violates: string
  isSuch: (given: Given, partner: Partner, others: readonly Partner[]) => boolean
}[] = [
  {
    name: 'id-alone',
    what: 'X-Client-Id alone',
    violates: 'EVENT-SECRET-REQUIRED',
    isSuch: ({ id, secret }, partner) => id === partner.id && secret === undefined,
  },
  {
    name: 'secret-alone',
    what: 'X-Client-Secret alone',
    violates: 'EVENT-CLIENT-ID-REQUIRED',
    isSuch: ({ id, secret }, partner) => id === undefined && secret === partner.secret,
  },
  {
    name: 'wrong-secret',
    what: 'an X-Client-Secret that nobody has',
    violates: 'EVENT-SECRET-WRONG',
    isSuch: ({ id, secret }, partner, others) =>
      id === partner.id &&
      secret !== undefined &&
      ![partner, ...others].some((known) => known.secret === secret),
  },
  {
    name: 'wrong-id',
    what: 'an X-Client-Id that nobody has',
    violates: 'EVENT-CLIENT-ID-WRONG',
    isSuch: ({ id, secret }, partner, others) =>
      secret === partner.secret && id !== undefined && ![partner, ...others].some((known) => known.id === id),
  },
  {
    name: 'secret-of-another',
    what: "another partner's X-Client-Secret",
    violates: 'EVENT-SECRET-OF-ANOTHER',
    isSuch: ({ id, secret }, partner, others) =>
      id === partner.id && others.some((other) => other.secret === secret),
  },
]

interface Given {
  id: string | undefined
  secret: string | undefined
}

/** Refused by their status, and served all the same. */
const refusedWithEvents = halves.map(({ name, what, violates, isSuch }) => ({
  name: `${name}-refused-with-events`,
  summary: `A search with ${what} is answered 401, with the page that was asked for.`,
  violates: [violates],
  alter: (behaviour: Behaviour) => {
    let refused = false
    admit(behaviour, ({ headers }, partner, partners) => {
      const given = {
        id: headerValue(headers, 'x-client-id'),
        secret: headerValue(headers, 'x-client-secret'),
      }
      refused = isSuch(
        given,
        partner,
        partners.filter((other) => other !== partner),
      )
      return refused
    })
    behaviour.hub.answers.push((answer) => {
      if (refused) answer.status = 401
      refused = false
    })
  },
}))

/** Who may search. */
export const eventCredentialFaults = withFace('hub', [
  ...refusedWithEvents,
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
