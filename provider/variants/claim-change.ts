import { type Behaviour, withFace } from '../behaviour.ts'

const needsEvent = [
  'EVENT-SUBSCRIBER',
  'EVENT-CLAIM-CHANGE-EMITTED',
  'EVENT-TIMESTAMP-GENERATED',
  'EVENT-CLAIM-CHANGE-NAMED',
  'EVENT-TIME-ZONE',
]

/** Lawful ways in which a changed claim gives an event, or does not yet. */
export const claimChangeVariants = withFace('hub', [
  {
    name: 'change-event-after-some-polls',
    summary: 'The event of a change is found by the fourth search after it.',
    concerns: needsEvent,
    ambiguity: 'How soon an event can be found is not said.',
    decided: needsEvent.slice(0, 3),
    alter: ({ hub }: Behaviour) => {
      hub.lag = 3
    },
  },
  {
    name: 'change-event-too-late',
    summary: 'No event of a change is found while a run waits for it.',
    concerns: needsEvent,
    ambiguity: 'How soon an event can be found is not said.',
    undecidable: needsEvent,
    alter: ({ hub }: Behaviour) => {
      hub.lag = Number.POSITIVE_INFINITY
    },
  },
  {
    name: 'change-event-without-subscriber',
    summary: 'The event of a change has no subscriber.',
    concerns: ['EVENT-SUBSCRIBER', 'EVENT-CLAIM-CHANGE-EMITTED'],
    ambiguity: 'The subscriber is optional.',
    decided: ['EVENT-CLAIM-CHANGE-EMITTED'],
    alter: ({ hub }: Behaviour) =>
      hub.changes.push((event) => {
        delete event.subscriber
      }),
  },
  {
    name: 'change-event-with-claims',
    summary: 'The event of a change has claims, with the new value.',
    concerns: ['EVENT-CLAIM-CHANGE-EMITTED', 'EVENT-CLAIM-CHANGE-NAMED', 'EVENT-CLIENT-TOLERANT'],
    ambiguity: 'Two payload shapes occur.',
    decided: ['EVENT-CLAIM-CHANGE-EMITTED'],
    alter: ({ hub }: Behaviour) =>
      hub.changes.push((event, { claim, value }) => {
        event.payload = { claims: { [claim]: value } }
      }),
  },
  {
    name: 'change-event-with-empty-claims',
    summary: 'The event of a change has claims without any claim in it.',
    concerns: ['EVENT-SUBSCRIBER', 'EVENT-CLAIM-CHANGE-EMITTED', 'EVENT-CLAIM-CHANGE-NAMED'],
    ambiguity: 'claims may be empty.',
    decided: ['EVENT-SUBSCRIBER', 'EVENT-CLAIM-CHANGE-EMITTED'],
    alter: ({ hub }: Behaviour) =>
      hub.changes.push((event) => {
        event.payload = { claims: {} }
      }),
  },
  {
    name: 'change-event-with-names',
    summary: 'The event of a change has changedClaims, with the name of the claim.',
    concerns: ['EVENT-SUBSCRIBER', 'EVENT-CLAIM-CHANGE-EMITTED', 'EVENT-CLAIM-CHANGE-NAMED'],
    ambiguity: 'Two payload shapes occur.',
    decided: ['EVENT-SUBSCRIBER', 'EVENT-CLAIM-CHANGE-EMITTED'],
    alter: ({ hub }: Behaviour) =>
      hub.changes.push((event, { claim }) => {
        event.payload = { changedClaims: [claim] }
      }),
  },
  {
    name: 'change-event-given-twice',
    summary: 'The event of a change is given out twice, with the same content.',
    concerns: ['EVENT-ID-UNIQUE', 'EVENT-SUBSCRIBER'],
    ambiguity: 'An event may be delivered more than once.',
    decided: ['EVENT-ID-UNIQUE', 'EVENT-SUBSCRIBER'],
    alter: ({ hub }: Behaviour) => {
      const changed = new Set<string>()
      hub.changes.push(({ id }) => changed.add(id))
      hub.order = (found) => found.flatMap((event) => (changed.has(event.id) ? [event, event] : [event]))
    },
  },
  {
    name: 'change-beside-events-of-others',
    summary: 'While a claim is changed, other users of the application change claims too.',
    concerns: needsEvent,
    ambiguity: 'Every result holds events of other people.',
    decided: needsEvent.slice(0, 3),
    alter: ({ hub }: Behaviour) => {
      hub.lag = 2
      hub.arrivals.push((searches, local) => [
        {
          id: `evt-other-${searches}`,
          local,
          type: 'ClaimValuesChanged',
          version: '1',
          subscriber: `sub-other-${searches % 3}`,
          payload: { changedClaims: ['given_name'] },
        },
      ])
    },
  },
  {
    name: 'claim-cannot-be-saved',
    summary: 'The account page refuses the new value of the claim.',
    concerns: needsEvent,
    ambiguity: 'What a user may call themselves is the service’s to decide.',
    undecidable: needsEvent,
    alter: ({ idp }: Behaviour) => {
      idp.accountSaves = () => 'This name cannot be used.'
    },
  },
  {
    name: 'claim-not-saved-in-silence',
    summary: 'The account page says that it saved the new value, and keeps the old one.',
    concerns: needsEvent,
    ambiguity: 'What a user may call themselves is the service’s to decide.',
    undecidable: needsEvent,
    alter: ({ idp }: Behaviour) => {
      idp.accountKeeps = true
    },
  },
  {
    name: 'claim-cannot-be-restored',
    summary: 'The account page saves one change of a claim and refuses the next.',
    concerns: needsEvent,
    ambiguity: 'How often a user may change a claim is the service’s to decide.',
    undecidable: ['EVENT-SUBSCRIBER', 'EVENT-CLAIM-CHANGE-EMITTED', 'EVENT-TIMESTAMP-GENERATED'],
    alter: ({ idp }: Behaviour) => {
      let saves = 0
      idp.accountSaves = () => {
        saves += 1
        return saves > 1 ? 'You have changed your name already today.' : undefined
      }
    },
  },
])
