import { causeOf, type FailureKind, type HttpFailure } from '../http/failures.ts'
import type { VariableName } from '../target/variables.ts'
import type { PageDescription } from './page-description.ts'

/** Where an authorization request ended. The check judges the landing. */
export type Landing = Redirect | WaitingPage | EndPage | Failed

/** A page that asks the user for something. */
interface WaitingPage {
  readonly kind: 'login-page' | 'consent-page'
  /** Whether the user had cancelled the login before. */
  readonly afterCancel?: true
}

/**
 * The target sent the browser to the redirect URI or another address outside the target, such as an altered redirect
 * URI or `app://callback`. The browser did not load the address.
 */
export interface Redirect extends Destination {
  readonly kind: 'redirect'
  /** Members of the form that the page posted to the address (form_post). */
  readonly form?: URLSearchParams
  /** Status of the response that redirected; often 200 for a page with a script, refresh or form. */
  readonly status: number
  /** Statuses of the redirects before that response. */
  readonly redirects: readonly number[]
  /** Whether Plumbline typed or pressed something before. */
  readonly interactive: boolean
}

interface Destination {
  /** The address as the target sent it. */
  readonly location: string
  readonly query: URLSearchParams
  readonly fragment: URLSearchParams
}

/** A page without a prompt, such as the provider's error page. */
export interface EndPage {
  readonly kind: 'page'
  readonly status: number
  /** Media type of the page in lower case, without parameters; empty if absent. */
  readonly mediaType: string
  /** Statuses of the redirects that led to the page. */
  readonly redirects: readonly number[]
  /** Whether the page has buttons that no keyword matches, so that it may wait for the user. */
  readonly hasUnknownButtons: boolean
  /** Whether the page has links: a user may continue with a link. */
  readonly hasLinks: boolean
  /** Whether the page has scripts or a refresh, so that it may navigate by itself. */
  readonly dynamic: boolean
  /** Description of the page, if the target should have redirected to the application instead. */
  readonly description?: PageDescription
}

/** The journey failed. The reason contains no secret. */
export interface Failed {
  readonly kind: 'failed'
  /** Why a request had no response that can be judged; absent if Plumbline failed on a page. */
  readonly failure?: FailureKind
  readonly cause: 'environment' | 'configuration' | 'throttled'
  readonly reason: string
  /** Variables that may be wrong, the likeliest first. */
  readonly variables?: readonly VariableName[]
  /** What to change, as an imperative. */
  readonly advice?: string
}

/** The landing of a journey that ended because a request had no response to judge. */
export function failedBy(failure: HttpFailure): Failed {
  const { kind, message: reason, variables, advice } = failure
  const cause = causeOf(failure)
  return { kind: 'failed', failure: kind, cause, reason, variables, ...(advice !== null && { advice }) }
}

/** Ends a journey with a landing of the kind `failed`. */
export class JourneyFailure extends Error {
  readonly landing: Failed

  constructor(cause: Failed['cause'], reason: string, details: Pick<Failed, 'variables' | 'advice'> = {}) {
    super(reason)
    this.name = 'JourneyFailure'
    this.landing = { kind: 'failed', cause, reason, ...details }
  }
}

/** Parses the query and the fragment of a redirect's address. */
export function parseDestination(location: string): Destination {
  const [beforeFragment, fragment] = split(location, '#')
  const [, query] = split(beforeFragment, '?')
  return { location, query: new URLSearchParams(query), fragment: new URLSearchParams(fragment) }
}

function split(text: string, separator: string): [string, string] {
  const position = text.indexOf(separator)
  return position < 0 ? [text, ''] : [text.slice(0, position), text.slice(position + 1)]
}

/** Whether a redirect is an authorization response (RFC 6749, 4.1.2; OpenID Connect Core, 3.3.2.5). */
export function isAuthorizationResponse({
  query,
  fragment,
  form,
}: Pick<Redirect, 'query' | 'fragment' | 'form'>) {
  const names = ['code', 'error', 'state', 'access_token', 'id_token']
  return [query, fragment, form].some((part) => names.some((name) => part?.has(name)))
}
