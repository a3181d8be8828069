import { withSurface } from '../alteration.ts'
import { refuseSubscriptions } from '../edits.ts'
import { type HttpResponse, htmlResponse, jsonResponse } from '../http.ts'

const absent = 'Webhooks are planned and not available.'

/** Responses of servers that have no subscription management. */
const unknownAddress: [string, string, HttpResponse][] = [
  ['405', '405', jsonResponse(405, { type: 'METHOD_NOT_ALLOWED', message: 'The method is not allowed.' })],
  ['410', '410', jsonResponse(410, { type: 'GONE', message: 'There is no such resource.' })],
  ['redirect', 'a redirect', { status: 302, headers: { location: '/' } }],
  ['page', 'an HTML page with 200', htmlResponse(200, '<!doctype html><title>Partner portal</title>')],
]

/** Responses from which it is unclear whether a server has subscription management. */
const unclear: [string, HttpResponse][] = [
  ['400', jsonResponse(400, { type: 'BAD_REQUEST', message: 'Unknown request.' })],
  ['501', htmlResponse(501, '<!doctype html><title>Not implemented</title>')],
]

/** Providers without webhooks for the partner. */
export const webhookRefusalVariants = withSurface('webhooks', [
  ...unknownAddress.map(([name, what, response]) => ({
    name: `webhooks-absent-with-${name}`,
    summary: `Has no webhooks, and returns ${what} for requests to manage subscriptions.`,
    concerns: ['WEBHOOK-SUBSCRIPTION-CREATE'],
    unspecified: absent,
    alter: refuseSubscriptions(response),
  })),
  ...unclear.map(([status, response]) => ({
    name: `webhooks-absent-with-${status}`,
    summary: `Has no webhooks, and returns ${status} for requests to manage subscriptions.`,
    concerns: ['WEBHOOK-SUBSCRIPTION-CREATE'],
    unspecified: absent,
    mustBeInconclusive: ['WEBHOOK-SUBSCRIPTION-CREATE'],
    mayBeInconclusive: ['WEBHOOK-*'],
    alter: refuseSubscriptions(response),
  })),
  {
    name: 'webhooks-feature-disabled',
    summary: 'Has no webhooks, and returns FEATURE_DISABLED for requests to manage subscriptions.',
    concerns: [
      'PLATFORM-FEATURE-DISABLED',
      'PLATFORM-FEATURE-DISABLED-TYPE',
      'PLATFORM-FEATURE-DISABLED-MESSAGE',
      'WEBHOOK-SUBSCRIPTION-CREATE',
    ],
    unspecified: 'FEATURE_DISABLED is documented for any feature that is not enabled for a partner.',
    mustPass: ['PLATFORM-FEATURE-DISABLED-TYPE'],
    alter: refuseSubscriptions(
      jsonResponse(403, { type: 'FEATURE_DISABLED', message: 'Webhooks are not enabled for this partner.' }),
    ),
  },
  {
    name: 'webhooks-forbidden',
    summary: 'Returns 403 with the type FORBIDDEN and a message for requests to manage subscriptions.',
    concerns: ['PLATFORM-FEATURE-DISABLED-TYPE', 'WEBHOOK-SUBSCRIPTION-CREATE'],
    unspecified: 'Error responses of subscription management are not specified.',
    mustBeInconclusive: ['WEBHOOK-SUBSCRIPTION-CREATE'],
    mayBeInconclusive: ['WEBHOOK-*'],
    alter: refuseSubscriptions(jsonResponse(403, { type: 'FORBIDDEN', message: 'Access is denied.' })),
  },
])
