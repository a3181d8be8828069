import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { htmlResponse } from '../http.ts'
import { badRequest, notFound } from '../hub/errors.ts'
import { WITHOUT_SEARCH } from './inconclusive.ts'

const NEEDS_SEARCH = [
  'EVENT-SEARCH',
  'EVENT-PAGE-SHAPE',
  'EVENT-FROM-REQUIRED',
  'EVENT-CREDENTIALS-REQUIRED',
  'EVENT-PAGINATION',
  'EVENT-ID',
]
const unspecified =
  'Refusing an unknown partner or path is lawful, even if the configuration expects them to work.'

/** Event Hubs that refuse valid searches for an unknown reason, or a reason outside the target. */
export const eventConfigurationVariants = withSurface('hub', [
  {
    name: 'partner-unknown',
    summary: 'Does not know the configured partner, and refuses every search with 401.',
    concerns: NEEDS_SEARCH,
    unspecified,
    mustBeInconclusive: NEEDS_SEARCH,
    mayBeInconclusive: WITHOUT_SEARCH,
    alter: ({ hub }: Behaviour) => {
      hub.authenticate = () => undefined
    },
  },
  {
    name: 'partner-unknown-as-400',
    summary: 'Does not know the configured partner, and refuses every search with 400.',
    concerns: NEEDS_SEARCH,
    unspecified: 'The status for invalid partner credentials is not specified.',
    mustBeInconclusive: NEEDS_SEARCH,
    mayBeInconclusive: WITHOUT_SEARCH,
    alter: ({ hub }: Behaviour) => {
      hub.authenticate = () => undefined
      hub.responses.push((response) => {
        Object.assign(response, badRequest('The credentials are not valid.'))
      })
    },
  },
  {
    name: 'unentitled-partner-unknown-as-400',
    summary:
      'Does not know the configured partner without the Event Hub, and refuses invalid credentials with 400.',
    concerns: ['EVENT-UNENTITLED'],
    unspecified: 'The status for invalid partner credentials is not specified.',
    mustBeInconclusive: ['EVENT-UNENTITLED'],
    alter: ({ hub }: Behaviour) => {
      const invalid = () => badRequest('The credentials are not valid.')
      hub.unentitled = invalid
      hub.responses.push((response) => {
        if (response.status === 401) Object.assign(response, invalid())
      })
    },
  },
  {
    name: 'partner-not-entitled',
    summary: 'Has not enabled the Event Hub for the configured partner, and refuses every search with 403.',
    concerns: NEEDS_SEARCH,
    unspecified,
    mustBeInconclusive: NEEDS_SEARCH,
    mayBeInconclusive: WITHOUT_SEARCH,
    alter: ({ hub }: Behaviour) => {
      hub.entitled = () => false
    },
  },
  {
    name: 'partner-api-elsewhere',
    summary: 'Returns 404 for every path: the configured base address is wrong.',
    concerns: NEEDS_SEARCH,
    unspecified,
    mustBeInconclusive: NEEDS_SEARCH,
    mayBeInconclusive: WITHOUT_SEARCH,
    alter: ({ hub }: Behaviour) => hub.interceptors.push(() => notFound('resource')),
  },
  {
    name: 'partner-api-of-a-portal',
    summary: 'Returns an HTML page with 200 for every path: the configured base address is that of a portal.',
    concerns: NEEDS_SEARCH,
    unspecified,
    mustBeInconclusive: NEEDS_SEARCH,
    mayBeInconclusive: WITHOUT_SEARCH,
    alter: ({ hub }: Behaviour) =>
      hub.interceptors.push(() => htmlResponse(200, '<!doctype html><title>Partner portal</title>')),
  },
  {
    name: 'partner-api-of-another-service',
    summary: 'Returns 400 for every path: the configured base address is that of another service.',
    concerns: NEEDS_SEARCH,
    unspecified,
    mustBeInconclusive: NEEDS_SEARCH,
    mayBeInconclusive: WITHOUT_SEARCH,
    alter: ({ hub }: Behaviour) => hub.interceptors.push(() => badRequest('There is no such operation.')),
  },
  {
    name: 'milliseconds-refused',
    summary: 'Returns 400 for a time with a fraction.',
    concerns: [...NEEDS_SEARCH, 'EVENT-TIME-FORMS'],
    unspecified: 'The accepted forms of an ISO local date-time are not specified.',
    // While Plumbline diagnoses the refusal, one search is accepted, and its events can be judged.
    mustBeInconclusive: NEEDS_SEARCH.filter((id) => id !== 'EVENT-ID'),
    mustPass: ['EVENT-ID'],
    mayBeInconclusive: WITHOUT_SEARCH,
    alter: ({ hub }: Behaviour) => {
      const { parseTime } = hub
      hub.parseTime = (text, parameter) => (text.includes('.') ? undefined : parseTime(text, parameter))
    },
  },
])
