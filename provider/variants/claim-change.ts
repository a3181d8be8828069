import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'

const JUDGED_BY_EVENT = ['EVENT-SUBSCRIBER', 'EVENT-CLAIM-CHANGE-EMITTED', 'EVENT-TIMESTAMP-GENERATED']

/** Requirements that are inconclusive without the event of a change. */
const NEEDS_EVENT = [...JUDGED_BY_EVENT, 'EVENT-CLAIM-CHANGE-NAMED', 'EVENT-TIME-ZONE']

/** The event of a change by the user with this subject identifier, without id and time. */
function changeOf(subscriber: string) {
  return {
    type: 'ClaimValuesChanged',
    version: '1',
    subscriber,
    payload: { changedClaims: ['given_name'] },
  }
}

/** Lawful events of a changed claim, and lawful reasons for their absence. */
export const claimChangeVariants = withSurface('hub', [
  {
    name: 'change-event-after-some-polls',
    summary: 'Returns a change event from the fourth search after the change on.',
    concerns: NEEDS_EVENT,
    unspecified: 'How soon a search returns an event is not specified.',
    mustPass: JUDGED_BY_EVENT,
    alter: ({ hub }: Behaviour) => {
      hub.lag = 3
    },
  },
  {
    name: 'change-event-too-late',
    summary: 'Does not return a change event while a run waits for it.',
    concerns: NEEDS_EVENT,
    unspecified: 'How soon a search returns an event is not specified.',
    mustBeInconclusive: NEEDS_EVENT,
    alter: ({ hub }: Behaviour) => {
      hub.lag = Number.POSITIVE_INFINITY
    },
  },
  {
    name: 'second-change-event-too-late',
    summary:
      'Returns the event of the first change at once, and does not return that of the second while a run waits.',
    concerns: [...NEEDS_EVENT, 'EVENT-ID-UNIQUE'],
    unspecified: 'How soon a search returns an event is not specified.',
    mustBeInconclusive: ['EVENT-SUBSCRIBER', 'EVENT-CLAIM-CHANGE-EMITTED', 'EVENT-ID-UNIQUE'],
    alter: ({ hub }: Behaviour) =>
      hub.claimChanges.push((_, { serial }) => {
        hub.lag = serial === 0 ? 0 : Number.POSITIVE_INFINITY
      }),
  },
  {
    name: 'first-change-event-too-late',
    summary:
      'Withholds the event of the first change while a run waits for it. Returns the event of the second change at once.',
    concerns: NEEDS_EVENT,
    unspecified: 'How soon a search returns an event is not specified.',
    mustBeInconclusive: NEEDS_EVENT,
    alter: ({ hub }: Behaviour) =>
      hub.claimChanges.push((_, { serial }) => {
        hub.lag = serial === 0 ? Number.POSITIVE_INFINITY : 0
      }),
  },
  {
    name: 'first-change-event-too-late-beside-events-of-others',
    summary:
      'Withholds the event of the first change while a run waits for it. Returns the event of the second change at once, and an event of another user after each change.',
    concerns: NEEDS_EVENT,
    unspecified: 'Results contain events of other users.',
    mustBeInconclusive: NEEDS_EVENT,
    alter: ({ hub }: Behaviour) => {
      let due = 0
      hub.claimChanges.push((_, { serial }) => {
        hub.lag = serial === 0 ? Number.POSITIVE_INFINITY : 0
        due += 1
      })
      hub.arrivals.push((searches, local) => {
        if (due === 0) return []
        due -= 1
        return [{ ...changeOf('sub-other'), id: `evt-other-${searches}`, local }]
      })
    },
  },
  {
    name: 'change-event-without-subscriber',
    summary: 'Emits a change event without a subscriber.',
    concerns: ['EVENT-SUBSCRIBER', 'EVENT-CLAIM-CHANGE-EMITTED'],
    unspecified: 'The subscriber is optional.',
    mustPass: ['EVENT-CLAIM-CHANGE-EMITTED'],
    alter: ({ hub }: Behaviour) =>
      hub.claimChanges.push((event) => {
        delete event.subscriber
      }),
  },
  {
    name: 'change-event-with-claims',
    summary: 'Emits a change event with the new value in `claims`.',
    concerns: ['EVENT-CLAIM-CHANGE-EMITTED', 'EVENT-CLAIM-CHANGE-NAMED', 'EVENT-CLIENT-TOLERANT'],
    unspecified: 'Two payload shapes occur.',
    mustPass: ['EVENT-CLAIM-CHANGE-EMITTED'],
    alter: ({ hub }: Behaviour) =>
      hub.claimChanges.push((event, { claim, value }) => {
        event.payload = { claims: { [claim]: value } }
      }),
  },
  {
    name: 'change-event-with-empty-claims',
    summary: 'Emits a change event with empty `claims`.',
    concerns: ['EVENT-SUBSCRIBER', 'EVENT-CLAIM-CHANGE-EMITTED', 'EVENT-CLAIM-CHANGE-NAMED'],
    unspecified: 'claims may be empty.',
    mustPass: ['EVENT-SUBSCRIBER', 'EVENT-CLAIM-CHANGE-EMITTED'],
    alter: ({ hub }: Behaviour) =>
      hub.claimChanges.push((event) => {
        event.payload = { claims: {} }
      }),
  },
  {
    name: 'change-event-with-names',
    summary: 'Emits a change event with the name of the claim in `changedClaims`.',
    concerns: ['EVENT-SUBSCRIBER', 'EVENT-CLAIM-CHANGE-EMITTED', 'EVENT-CLAIM-CHANGE-NAMED'],
    unspecified: 'Two payload shapes occur.',
    mustPass: ['EVENT-SUBSCRIBER', 'EVENT-CLAIM-CHANGE-EMITTED'],
    alter: ({ hub }: Behaviour) =>
      hub.claimChanges.push((event, { claim }) => {
        event.payload = { changedClaims: [claim] }
      }),
  },
  {
    name: 'change-event-given-twice',
    summary: 'Returns a change event twice, with the same content.',
    concerns: ['EVENT-ID-UNIQUE', 'EVENT-SUBSCRIBER'],
    unspecified: 'An event may be delivered more than once.',
    mustPass: ['EVENT-ID-UNIQUE', 'EVENT-SUBSCRIBER'],
    alter: ({ hub }: Behaviour) => {
      const changed = new Set<string>()
      hub.claimChanges.push(({ id }) => changed.add(id))
      hub.order = (ascending) =>
        ascending.flatMap((event) => (changed.has(event.id) ? [event, event] : [event]))
    },
  },
  {
    name: 'change-beside-events-of-others',
    summary:
      'Adds a claim change of another user at every search, and returns a change event from the third search after the change on.',
    concerns: NEEDS_EVENT,
    unspecified: 'Results contain events of other users.',
    mustPass: JUDGED_BY_EVENT,
    alter: ({ hub }: Behaviour) => {
      hub.lag = 2
      hub.arrivals.push((searches, local) => [
        {
          ...changeOf(`sub-other-${searches % 3}`),
          id: `evt-other-${searches}`,
          local: local - ((searches * 7919) % 3000),
        },
      ])
    },
  },
  {
    name: 'claim-cannot-be-saved',
    pages: true,
    proofWaits: true,
    summary: 'Refuses the new value of the claim on the account page.',
    concerns: NEEDS_EVENT,
    unspecified: 'The service decides which names are valid.',
    mustBeInconclusive: NEEDS_EVENT,
    alter: ({ idp }: Behaviour) => {
      idp.givenNameError = () => 'This name cannot be used.'
    },
  },
  {
    name: 'claim-not-saved-in-silence',
    pages: true,
    summary: 'Reports success on the account page but keeps the old value of the claim.',
    concerns: NEEDS_EVENT,
    unspecified: 'The service decides which names are valid.',
    mustBeInconclusive: NEEDS_EVENT,
    alter: ({ idp }: Behaviour) => {
      idp.discardsGivenName = true
    },
  },
  {
    name: 'claim-cannot-be-restored',
    pages: true,
    proofWaits: true,
    summary: 'Accepts one change of a claim on the account page and refuses the next.',
    concerns: NEEDS_EVENT,
    unspecified: 'The service decides how often a user may change a claim.',
    mustBeInconclusive: ['EVENT-SUBSCRIBER', 'EVENT-CLAIM-CHANGE-EMITTED', 'EVENT-TIMESTAMP-GENERATED'],
    alter: ({ idp }: Behaviour) => {
      let saves = 0
      idp.givenNameError = () => {
        saves += 1
        return saves > 1 ? 'You have changed your name already today.' : undefined
      }
    },
  },
])
