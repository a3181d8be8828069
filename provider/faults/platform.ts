import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { type HttpResponse, htmlResponse } from '../http.ts'

/** Small enough for a run at the ordinary pace to exceed it, with a short window. */
const LIMIT = { requests: 12, windowSeconds: 1 }

function editThrottled(edit: (response: HttpResponse) => void): Alter {
  return (behaviour) => {
    behaviour.throttled.push(edit)
  }
}

const throttling = [
  {
    name: 'throttled-with-503',
    summary: 'A throttled request returns 503.',
    violates: ['PLATFORM-THROTTLE-STATUS'],
    alter: editThrottled((response) => {
      response.status = 503
    }),
  },
  {
    name: 'throttled-with-403',
    summary: 'A throttled request returns 403.',
    violates: ['PLATFORM-THROTTLE-STATUS'],
    alter: editThrottled((response) => {
      response.status = 403
    }),
  },
  {
    name: 'throttled-as-html',
    summary: 'A throttled request returns an HTML page.',
    violates: ['PLATFORM-THROTTLE-BODY'],
    alter: editThrottled((response) => {
      const page = htmlResponse(429, '<!doctype html><title>Too many requests</title>')
      response.body = page.body
      Object.assign(response.headers, page.headers)
    }),
  },
  {
    name: 'throttled-as-list',
    summary: 'The body of a throttled request is a list of errors.',
    violates: ['PLATFORM-THROTTLE-BODY'],
    alter: editThrottled((response) => {
      response.body = [response.body]
    }),
  },
  {
    name: 'throttled-description-object',
    summary: 'The error_description of a throttled request is an object.',
    violates: ['PLATFORM-THROTTLE-DESCRIPTION'],
    alter: editThrottled((response) => {
      response.body = { error: 'temporarily_unavailable', error_description: { en: 'Too many requests.' } }
    }),
  },
  {
    name: 'throttled-without-description',
    summary: 'The body of a throttled request has no error_description.',
    violates: ['PLATFORM-THROTTLE-DESCRIPTION'],
    alter: editThrottled((response) => {
      response.body = { error: 'temporarily_unavailable' }
    }),
  },
  {
    name: 'throttled-as-rate-limited',
    summary: 'The body of a throttled request has another error than temporarily_unavailable.',
    violates: ['PLATFORM-THROTTLE-ERROR'],
    alter: editThrottled((response) => {
      response.body = { error: 'rate_limited', error_description: 'Too many requests.' }
    }),
  },
  {
    name: 'retry-after-word',
    summary: 'The Retry-After header of a throttled request is a word.',
    violates: ['PLATFORM-RETRY-AFTER'],
    alter: editThrottled((response) => {
      response.headers['retry-after'] = 'soon'
    }),
  },
  {
    name: 'retry-after-with-unit',
    summary: 'The Retry-After header of a throttled request has a unit after the number.',
    violates: ['PLATFORM-RETRY-AFTER'],
    alter: editThrottled((response) => {
      response.headers['retry-after'] = `${response.headers['retry-after']}s`
    }),
  },
].map((fault) => ({ ...fault, limit: LIMIT }))

const hub = [
  {
    name: 'unknown-path-with-200',
    summary: 'An unknown path of the Event Hub returns 200 with an empty object.',
    violates: ['PLATFORM-NOT-FOUND'],
    alter: ({ hub }: Behaviour) =>
      hub.notFound.push((response) => {
        response.status = 200
        response.body = {}
      }),
  },
  {
    name: 'unknown-path-with-400',
    summary: 'An unknown path of the Event Hub returns 400.',
    violates: ['PLATFORM-NOT-FOUND'],
    alter: ({ hub }: Behaviour) =>
      hub.notFound.push((response) => {
        response.status = 400
      }),
  },
  {
    name: 'unknown-path-with-events',
    summary: 'An unknown path of the Event Hub returns 404 with an event.',
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
    summary: 'FEATURE_DISABLED has status 401.',
    violates: ['PLATFORM-FEATURE-DISABLED'],
    alter: ({ hub }: Behaviour) => editUnentitled(hub, (response) => ({ ...response, status: 401 })),
  },
  {
    name: 'feature-disabled-as-code',
    summary: 'FEATURE_DISABLED is in the member code, and there is no type.',
    violates: ['PLATFORM-FEATURE-DISABLED-TYPE'],
    alter: ({ hub }: Behaviour) =>
      editUnentitled(hub, (response) => ({
        ...response,
        body: { code: 'FEATURE_DISABLED', message: 'The Event Hub is not enabled.' },
      })),
  },
  {
    name: 'feature-disabled-as-page',
    summary: 'FEATURE_DISABLED is the text of an HTML page.',
    violates: ['PLATFORM-FEATURE-DISABLED-TYPE'],
    alter: ({ hub }: Behaviour) =>
      editUnentitled(hub, ({ status }) =>
        htmlResponse(status, '<!doctype html><title>FEATURE_DISABLED</title>'),
      ),
  },
  {
    name: 'feature-disabled-without-message',
    summary: 'FEATURE_DISABLED has no message.',
    violates: ['PLATFORM-FEATURE-DISABLED-MESSAGE'],
    alter: ({ hub }: Behaviour) =>
      editUnentitled(hub, (response) => ({ ...response, body: { type: 'FEATURE_DISABLED' } })),
  },
  {
    name: 'feature-disabled-message-list',
    summary: 'The message of FEATURE_DISABLED is a list.',
    violates: ['PLATFORM-FEATURE-DISABLED-MESSAGE'],
    alter: ({ hub }: Behaviour) =>
      editUnentitled(hub, (response) => ({
        ...response,
        body: { type: 'FEATURE_DISABLED', message: ['not enabled'] },
      })),
  },
]

function editUnentitled(hub: Behaviour['hub'], edit: (response: HttpResponse) => HttpResponse): void {
  const { unentitled } = hub
  hub.unentitled = () => edit(unentitled())
}

export const platformFaults = [...withSurface('all', throttling), ...withSurface('hub', hub)]
