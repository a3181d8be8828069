import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editResponse, refuseSubscriptions } from '../edits.ts'
import { type HttpResponse, htmlResponse, jsonResponse } from '../http.ts'

const hubFaults = [
  {
    name: 'unknown-path-with-200',
    summary: 'Returns 200 with an empty object for an unknown path of the Event Hub.',
    violates: ['PLATFORM-NOT-FOUND'],
    alter: ({ hub }: Behaviour) =>
      hub.notFound.push((response) => {
        response.status = 200
        response.body = {}
      }),
  },
  {
    name: 'unknown-path-with-400',
    summary: 'Returns 400 for an unknown path of the Event Hub.',
    violates: ['PLATFORM-NOT-FOUND'],
    alter: ({ hub }: Behaviour) =>
      hub.notFound.push((response) => {
        response.status = 400
      }),
  },
  {
    name: 'unknown-path-with-events',
    summary: 'Returns 404 with an event for an unknown path of the Event Hub.',
    violates: ['PLATFORM-NOT-FOUND'],
    alter: ({ hub }: Behaviour) =>
      hub.notFound.push((response) => {
        response.body = {
          message: 'Not found',
          latest: { id: 'evt-1', type: 'ClaimValuesChanged', payload: {} },
        }
      }),
  },
  {
    name: 'feature-disabled-with-401',
    summary: 'Returns FEATURE_DISABLED with status 401.',
    violates: ['PLATFORM-FEATURE-DISABLED'],
    alter: ({ hub }: Behaviour) => editUnentitled(hub, (response) => ({ ...response, status: 401 })),
  },
  {
    name: 'feature-disabled-as-code',
    summary: 'Returns FEATURE_DISABLED in the member `code` instead of `type`.',
    violates: ['PLATFORM-FEATURE-DISABLED-TYPE'],
    alter: ({ hub }: Behaviour) =>
      editUnentitled(hub, (response) => ({
        ...response,
        body: { code: 'FEATURE_DISABLED', message: 'The Event Hub is not enabled.' },
      })),
  },
  {
    name: 'feature-disabled-in-lower-case',
    summary: 'Returns FEATURE_DISABLED in lower case.',
    violates: ['PLATFORM-FEATURE-DISABLED-TYPE'],
    alter: ({ hub }: Behaviour) =>
      editUnentitled(hub, (response) => ({
        ...response,
        body: { type: 'feature_disabled', message: 'The Event Hub is not enabled.' },
      })),
  },
  {
    name: 'feature-disabled-as-page',
    summary: 'Returns FEATURE_DISABLED as the text of an HTML page.',
    violates: ['PLATFORM-FEATURE-DISABLED-TYPE'],
    alter: ({ hub }: Behaviour) =>
      editUnentitled(hub, ({ status }) =>
        htmlResponse(status, '<!doctype html><title>FEATURE_DISABLED</title>'),
      ),
  },
  {
    name: 'feature-disabled-without-message',
    summary: 'Omits `message` from FEATURE_DISABLED.',
    violates: ['PLATFORM-FEATURE-DISABLED-MESSAGE'],
    alter: ({ hub }: Behaviour) =>
      editUnentitled(hub, (response) => ({ ...response, body: { type: 'FEATURE_DISABLED' } })),
  },
  {
    name: 'feature-disabled-message-empty',
    summary: 'Returns an empty `message` with FEATURE_DISABLED.',
    violates: ['PLATFORM-FEATURE-DISABLED-MESSAGE'],
    alter: ({ hub }: Behaviour) =>
      editUnentitled(hub, (response) => ({ ...response, body: { type: 'FEATURE_DISABLED', message: '' } })),
  },
  {
    name: 'feature-disabled-message-list',
    summary: 'Returns the `message` of FEATURE_DISABLED as an array.',
    violates: ['PLATFORM-FEATURE-DISABLED-MESSAGE'],
    alter: ({ hub }: Behaviour) =>
      editUnentitled(hub, (response) => ({
        ...response,
        body: { type: 'FEATURE_DISABLED', message: ['not enabled'] },
      })),
  },
  ...[
    {
      name: 'without-message',
      summary: 'Omits `message` from FEATURE_DISABLED',
      violates: 'PLATFORM-FEATURE-DISABLED-MESSAGE',
      response: jsonResponse(403, { type: 'FEATURE_DISABLED' }),
    },
    {
      name: 'as-error',
      summary: 'Returns FEATURE_DISABLED in the member `error` instead of `type`',
      violates: 'PLATFORM-FEATURE-DISABLED-TYPE',
      response: jsonResponse(403, { error: 'FEATURE_DISABLED', message: 'Introspection is not enabled.' }),
    },
    {
      name: 'with-400',
      summary: 'Returns FEATURE_DISABLED with status 400',
      violates: 'PLATFORM-FEATURE-DISABLED',
      response: jsonResponse(400, { type: 'FEATURE_DISABLED', message: 'Introspection is not enabled.' }),
    },
  ].map(({ name, summary, violates, response: refusal }) => ({
    name: `introspection-feature-disabled-${name}`,
    summary: `${summary} at the introspection endpoint.`,
    violates: [violates],
    alter: editResponse('introspection', (response) => {
      Object.assign(response, refusal)
    }),
  })),
]

const webhookFaults = [
  {
    name: 'webhooks-feature-disabled-in-lower-case',
    summary:
      'Has no webhooks, and returns FEATURE_DISABLED in lower case for requests to manage subscriptions.',
    violates: ['PLATFORM-FEATURE-DISABLED-TYPE'],
    alter: refuseSubscriptions(jsonResponse(403, { type: 'feature_disabled', message: 'Not enabled.' })),
  },
  {
    name: 'webhooks-feature-disabled-with-400',
    summary:
      'Has no webhooks, and returns FEATURE_DISABLED with status 400 for requests to manage subscriptions.',
    violates: ['PLATFORM-FEATURE-DISABLED'],
    alter: refuseSubscriptions(jsonResponse(400, { type: 'FEATURE_DISABLED', message: 'Not enabled.' })),
  },
]

function editUnentitled(hub: Behaviour['hub'], edit: (response: HttpResponse) => HttpResponse): void {
  const { unentitled } = hub
  hub.unentitled = () => edit(unentitled())
}

/** Wrong errors of the Event Hub and of the subscription management. */
export const platformFaults = [...withSurface('hub', hubFaults), ...withSurface('webhooks', webhookFaults)]
