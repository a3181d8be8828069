import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { htmlResponse } from '../http.ts'
import { badRequest, notFound } from '../hub/errors.ts'

const NEEDS_SEARCH = [
  'EVENT-SEARCH',
  'EVENT-PAGE-SHAPE',
  'EVENT-FROM-REQUIRED',
  'EVENT-CREDENTIALS-REQUIRED',
  'EVENT-PAGINATION',
  'EVENT-ID',
]
const ambiguity = 'A hub that refuses an unknown partner or path is right, even if both were meant to work.'

/** Event Hubs that refuse valid searches for a reason outside the target, or for one that cannot be told. */
export const eventConfigurationVariants = withSurface('hub', [
  {
    name: 'partner-unknown',
    summary: 'The configured partner is unknown: every search returns 401.',
    concerns: NEEDS_SEARCH,
    ambiguity,
    undecidable: NEEDS_SEARCH,
    alter: ({ hub }: Behaviour) => {
      hub.authenticate = () => undefined
    },
  },
  {
    name: 'partner-unknown-as-400',
    summary: 'The configured partner is unknown: every search returns 400.',
    concerns: NEEDS_SEARCH,
    ambiguity: 'The status for invalid partner credentials is not specified.',
    undecidable: NEEDS_SEARCH,
    alter: ({ hub }: Behaviour) => {
      hub.authenticate = () => undefined
      hub.responses.push((response) => {
        Object.assign(response, badRequest('The credentials are not valid.'))
      })
    },
  },
  {
    name: 'partner-not-entitled',
    summary: 'The configured partner has no Event Hub: every search returns 403.',
    concerns: NEEDS_SEARCH,
    ambiguity,
    undecidable: NEEDS_SEARCH,
    alter: ({ hub }: Behaviour) => {
      hub.entitled = () => false
    },
  },
  {
    name: 'partner-api-elsewhere',
    summary: 'The configured base address is wrong: every path returns 404.',
    concerns: NEEDS_SEARCH,
    ambiguity,
    undecidable: NEEDS_SEARCH,
    alter: ({ hub }: Behaviour) => hub.interceptors.push(() => notFound('resource')),
  },
  {
    name: 'partner-api-of-a-portal',
    summary: 'The configured base address is that of a portal: every path returns an HTML page with 200.',
    concerns: NEEDS_SEARCH,
    ambiguity,
    undecidable: NEEDS_SEARCH,
    alter: ({ hub }: Behaviour) =>
      hub.interceptors.push(() => htmlResponse(200, '<!doctype html><title>Partner portal</title>')),
  },
  {
    name: 'partner-api-of-another-service',
    summary: 'The configured base address is that of another service: every path returns 400.',
    concerns: NEEDS_SEARCH,
    ambiguity,
    undecidable: NEEDS_SEARCH,
    alter: ({ hub }: Behaviour) => hub.interceptors.push(() => badRequest('There is no such operation.')),
  },
  {
    name: 'milliseconds-refused',
    summary: 'A time with a fraction is refused with 400.',
    concerns: [...NEEDS_SEARCH, 'EVENT-TIME-FORMS'],
    ambiguity: 'The accepted forms of an ISO local date-time are not specified.',
    undecidable: NEEDS_SEARCH,
    alter: ({ hub }: Behaviour) => {
      const { parseTime } = hub
      hub.parseTime = (text, parameter) => (text.includes('.') ? undefined : parseTime(text, parameter))
    },
  },
])
