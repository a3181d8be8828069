import { type Behaviour, withFace } from '../behaviour.ts'
import { type Answer, htmlAnswer } from '../http.ts'

/** Small enough to be met by a run at an ordinary pace, and over in a second. */
const LIMIT = { requests: 12, windowSeconds: 1 }

function onThrottled(behaviour: Behaviour, edit: (answer: Answer) => void): void {
  behaviour.throttled.push(edit)
}

const throttling = [
  {
    name: 'throttled-as-html',
    summary: 'A throttled request is answered with an HTML page.',
    violates: ['PLATFORM-THROTTLE-BODY'],
    alter: (behaviour: Behaviour) =>
      onThrottled(behaviour, (answer) => {
        const page = htmlAnswer(429, '<!doctype html><title>Too many requests</title>')
        answer.body = page.body
        Object.assign(answer.headers, page.headers)
      }),
  },
  {
    name: 'throttled-as-list',
    summary: 'The body of a throttled request is a list of errors.',
    violates: ['PLATFORM-THROTTLE-BODY'],
    alter: (behaviour: Behaviour) =>
      onThrottled(behaviour, (answer) => {
        answer.body = [answer.body]
      }),
  },
  {
    name: 'throttled-description-object',
    summary: 'The error_description of a throttled request is an object.',
    violates: ['PLATFORM-THROTTLE-DESCRIPTION'],
    alter: (behaviour: Behaviour) =>
      onThrottled(behaviour, (answer) => {
        answer.body = { error: 'temporarily_unavailable', error_description: { en: 'Too many requests.' } }
      }),
  },
  {
    name: 'throttled-without-description',
    summary: 'The body of a throttled request has no error_description.',
    violates: ['PLATFORM-THROTTLE-DESCRIPTION'],
    alter: (behaviour: Behaviour) =>
      onThrottled(behaviour, (answer) => {
        answer.body = { error: 'temporarily_unavailable' }
      }),
  },
  {
    name: 'throttled-as-rate-limited',
    summary: 'The body of a throttled request names another error than temporarily_unavailable.',
    violates: ['PLATFORM-THROTTLE-ERROR'],
    alter: (behaviour: Behaviour) =>
      onThrottled(behaviour, (answer) => {
        answer.body = { error: 'rate_limited', error_description: 'Too many requests.' }
      }),
  },
  {
    name: 'retry-after-word',
    summary: 'The Retry-After header of a throttled request is a word.',
    violates: ['PLATFORM-RETRY-AFTER'],
    alter: (behaviour: Behaviour) =>
      onThrottled(behaviour, (answer) => {
        answer.headers['retry-after'] = 'soon'
      }),
  },
  {
    name: 'retry-after-with-unit',
    summary: 'The Retry-After header of a throttled request has a unit behind the number.',
    violates: ['PLATFORM-RETRY-AFTER'],
    alter: (behaviour: Behaviour) =>
      onThrottled(behaviour, (answer) => {
        answer.headers['retry-after'] = `${answer.headers['retry-after']}s`
      }),
  },
].map((fault) => ({ ...fault, limit: LIMIT }))

const hub = [
  {
    name: 'unknown-path-with-200',
    summary: 'A wrong path of the Event Hub answers 200 with an empty object.',
    violates: ['PLATFORM-NOT-FOUND'],
    alter: ({ hub }: Behaviour) =>
      hub.notFound.push((answer) => {
        answer.status = 200
        answer.body = {}
      }),
  },
  {
    name: 'unknown-path-with-400',
    summary: 'A wrong path of the Event Hub answers 400.',
    violates: ['PLATFORM-NOT-FOUND'],
    alter: ({ hub }: Behaviour) =>
      hub.notFound.push((answer) => {
        answer.status = 400
      }),
  },
  {
    name: 'unknown-path-with-events',
    summary: 'A wrong path of the Event Hub answers 404, with an event.',
    violates: ['PLATFORM-NOT-FOUND'],
    alter: ({ hub }: Behaviour) =>
      hub.notFound.push((answer) => {
        answer.body = {
          message: 'Not found',
          latest: { id: 'evt-1', type: 'ClaimValuesChanged', payload: {} },
        }
      }),
  },
  {
    name: 'feature-disabled-with-401',
    summary: 'FEATURE_DISABLED comes with status 401.',
    violates: ['PLATFORM-FEATURE-DISABLED'],
    alter: ({ hub }: Behaviour) => editUnentitled(hub, (answer) => ({ ...answer, status: 401 })),
  },
  {
    name: 'feature-disabled-without-message',
    summary: 'FEATURE_DISABLED comes without a message.',
    violates: ['PLATFORM-FEATURE-DISABLED-MESSAGE'],
    alter: ({ hub }: Behaviour) =>
      editUnentitled(hub, (answer) => ({ ...answer, body: { type: 'FEATURE_DISABLED' } })),
  },
  {
    name: 'feature-disabled-message-list',
    summary: 'The message of FEATURE_DISABLED is a list.',
    violates: ['PLATFORM-FEATURE-DISABLED-MESSAGE'],
    alter: ({ hub }: Behaviour) =>
      editUnentitled(hub, (answer) => ({
        ...answer,
        body: { type: 'FEATURE_DISABLED', message: ['not enabled'] },
      })),
  },
]

function editUnentitled(hub: Behaviour['hub'], edit: (answer: Answer) => Answer): void {
  const { unentitled } = hub
  hub.unentitled = () => edit(unentitled())
}

export const platformFaults = [...withFace('all', throttling), ...withFace('hub', hub)]
