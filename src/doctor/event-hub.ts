import { describe } from '../check/expect.ts'
import { Inconclusive } from '../check/verdict.ts'
import { partnerHeaders } from '../event-hub/search.ts'
import type { Session } from '../run/session.ts'
import { type Finding, finding, judgedBy } from './finding.ts'
import { troubleOf } from './troubles.ts'

/** One valid event search with the partner's credentials. */
export async function examineEventHub({ run, context }: Session): Promise<Finding[]> {
  const { partner, application } = run.target
  const own = partner.id === application.id && partner.secret === application.secret
  const credentials = own ? ['CLIENT_ID', 'CLIENT_SECRET'] : ['PARTNER_CLIENT_ID', 'PARTNER_CLIENT_SECRET']
  try {
    await context.events.control()
  } catch (error) {
    const found = troubleOf('Event Hub', error, ['PARTNER_API_URL'])
    if (!own || !(error instanceof Inconclusive)) return found
    return found.map((one) =>
      one.variables.includes('PARTNER_CLIENT_ID')
        ? {
            ...one,
            variables: [...one.variables, ...credentials],
            advice: `${one.advice}. They are not set, so that CLIENT_ID and CLIENT_SECRET were sent`,
          }
        : one,
    )
  }
  return [
    finding('Event Hub', 'ok', 'an event search is answered', {
      variables: ['PARTNER_API_URL', ...credentials],
    }),
    ...(await unentitled({ run, context })),
  ]
}

/** A partner without the Event Hub has to be known, and refused with 403 (section Event search errors). */
async function unentitled({ run, context }: Session): Promise<Finding[]> {
  const { unentitledPartner } = run.target
  if (!unentitledPartner) return []
  const variables = ['UNENTITLED_CLIENT_ID', 'UNENTITLED_CLIENT_SECRET']
  const response = await context.events.answerTo(
    partnerHeaders(unentitledPartner),
    'of a partner without the Event Hub',
  )
  if (response.status === 403)
    return [
      finding('Event Hub', 'ok', 'the partner without the Event Hub is refused with 403', { variables }),
    ]
  if (response.status === 200) {
    return [
      finding(
        'Event Hub',
        'warning',
        'the partner of UNENTITLED_CLIENT_ID is answered, so it may use the Event Hub',
        {
          variables,
          advice: 'name a partner that may not, or leave both variables out',
        },
      ),
    ]
  }
  if (response.status === 401) {
    return [
      finding(
        'Event Hub',
        'error',
        `the partner of UNENTITLED_CLIENT_ID was not recognised: ${describe(response)}`,
        {
          variables,
          advice: 'correct both, or leave them out',
        },
      ),
    ]
  }
  return [
    finding(
      'Event Hub',
      'unanswered',
      `a search by the partner of UNENTITLED_CLIENT_ID was answered ${describe(response)}`,
      {
        variables,
        advice: judgedBy('EVENT-UNENTITLED'),
      },
    ),
  ]
}
