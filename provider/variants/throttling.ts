import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { fieldsOf } from '../http.ts'

/** Below the usual pace of a run, so that the limiter refuses requests. The window of 1 s keeps each wait short. */
const limit = { requests: 12, windowSeconds: 1 }

/** Lawful responses of a limiter. */
export const throttlingVariants = withSurface('all', [
  {
    name: 'limited',
    summary: 'Limits each client, each user and each address to 12 requests/s.',
    concerns: [
      'PLATFORM-THROTTLE-STATUS',
      'PLATFORM-THROTTLE-BODY',
      'PLATFORM-THROTTLE-ERROR',
      'PLATFORM-THROTTLE-DESCRIPTION',
      'PLATFORM-RETRY-AFTER',
    ],
    unspecified: 'Limits are not published and may change.',
    limit,
    alter: () => {},
  },
  {
    name: 'throttled-without-retry-after',
    summary: 'Omits Retry-After from the response to a throttled request.',
    concerns: ['PLATFORM-RETRY-AFTER', 'PLATFORM-RETRY-AFTER-PRESENCE'],
    unspecified: 'Retry-After is "usually" present.',
    limit,
    alter: ({ throttled }: Behaviour) => {
      throttled.push(({ headers }) => {
        delete headers['retry-after']
      })
    },
  },
  {
    name: 'overloaded-with-503',
    summary: 'Returns 503 with the error `temporarily_unavailable` while overloaded.',
    concerns: ['PLATFORM-THROTTLE-STATUS'],
    unspecified: 'The error is documented for overload and maintenance, too, and 503 as a transient failure.',
    limit,
    alter: ({ throttled }: Behaviour) => {
      throttled.push((response) => {
        response.status = 503
        response.body = { error: 'temporarily_unavailable', error_description: 'Maintenance. Try again.' }
      })
    },
  },
  {
    name: 'throttled-until-a-date',
    summary: 'Sends a date in the Retry-After of a throttled request, and an additional member in its body.',
    concerns: ['PLATFORM-RETRY-AFTER', 'PLATFORM-THROTTLE-BODY'],
    unspecified: 'Additional members are not excluded, and Retry-After may be a date.',
    limit,
    alter: ({ throttled }: Behaviour) => {
      throttled.push((response) => {
        const seconds = Number(response.headers['retry-after'])
        response.headers['retry-after'] = new Date(Date.now() + (seconds + 1) * 1000).toUTCString()
        response.body = { ...fieldsOf(response), error_uri: 'https://partner.invalid/limits' }
      })
    },
  },
])
