import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { htmlResponse, jsonResponse } from '../http.ts'
import { badRequest } from '../hub/errors.ts'

/** Searches by a partner without the Event Hub. */
export const eventEntitlementFaults = withSurface('hub', [
  {
    name: 'unentitled-partner-served',
    summary: 'Returns events to a partner without the Event Hub.',
    violates: ['EVENT-UNENTITLED'],
    alter: ({ hub }: Behaviour) => {
      hub.entitled = () => true
    },
  },
  {
    name: 'unentitled-partner-gets-empty-page',
    summary: 'Returns an empty page with status 200 to a partner without the Event Hub.',
    violates: ['EVENT-UNENTITLED'],
    alter: ({ hub }: Behaviour) => {
      hub.unentitled = () => jsonResponse(200, { page: 0, pageSize: 10, total: 0, items: [] })
    },
  },
  {
    name: 'unentitled-partner-refused-with-events',
    summary: 'Returns 403 with the requested page for a search by a partner without the Event Hub.',
    violates: ['EVENT-UNENTITLED'],
    alter: ({ hub }: Behaviour) => {
      const { entitled } = hub
      let refused = false
      hub.entitled = (partner) => {
        refused = !entitled(partner)
        return true
      }
      hub.responses.push((response) => {
        if (refused) response.status = 403
        refused = false
      })
    },
  },
  {
    name: 'unentitled-partner-gets-400',
    summary: 'Returns 400 for a search by a partner without the Event Hub.',
    violates: ['EVENT-UNENTITLED'],
    alter: ({ hub }: Behaviour) => {
      hub.unentitled = () => badRequest('The Event Hub is not enabled.')
    },
  },
  {
    name: 'unentitled-partner-gets-404',
    summary: 'Returns 404 for a search by a partner without the Event Hub.',
    violates: ['EVENT-UNENTITLED'],
    alter: ({ hub }: Behaviour) => {
      hub.unentitled = () => htmlResponse(404, '<!doctype html><title>Not found</title>')
    },
  },
])
