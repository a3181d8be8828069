import { describe } from '../check/expect.ts'
import type { CheckContext } from '../check/fixtures.ts'
import { partnerHeaders } from '../event-hub/search.ts'
import { type Diagnosis, diagnose, diagnosesOf, unexpected } from './diagnosis.ts'

/** Sends a valid event search with the credentials of the partner. */
export async function examineEventHub(context: CheckContext): Promise<Diagnosis[]> {
  try {
    await context.events.control()
  } catch (error) {
    return diagnosesOf('Event Hub', error, ['PARTNER_API_URL'], context.run.target.name)
  }
  const verified = ['PARTNER_API_URL', 'PARTNER_CLIENT_ID', 'PARTNER_CLIENT_SECRET']
  const accepted = diagnose.ok('Event Hub', 'an event search succeeds', verified)
  return [accepted, ...(await examineUnentitled(context))]
}

/** Examines the unentitled partner, which the Event Hub must reject with 403 (section Event search errors). */
async function examineUnentitled({ run, events }: CheckContext): Promise<Diagnosis[]> {
  const { unentitledPartner } = run.target
  if (!unentitledPartner) return []
  const variables = ['UNENTITLED_CLIENT_ID', 'UNENTITLED_CLIENT_SECRET']
  const response = await events.searchWithHeaders(partnerHeaders(unentitledPartner))
  const partner = 'the partner of UNENTITLED_CLIENT_ID'
  switch (response.status) {
    case 403:
      return [diagnose.ok('Event Hub', `the Event Hub refuses ${partner} with 403`, variables)]
    case 200: {
      const advice = 'set both variables to a partner without access, or unset them'
      return [diagnose.warning('Event Hub', `${partner} may use the Event Hub`, variables, advice)]
    }
    case 401: {
      const what = `the Event Hub does not recognise ${partner}: ${describe(response)}`
      return [diagnose.error('Event Hub', what, variables, 'correct both variables, or unset them')]
    }
    default: {
      const what = `the response to a search by ${partner} was ${describe(response)}`
      return [unexpected('Event Hub', what, 'EVENT-UNENTITLED', run.target.name, variables)]
    }
  }
}
