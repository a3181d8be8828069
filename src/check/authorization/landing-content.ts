import type { Landing, Redirect } from '../../browser/index.ts'
import { tokenNames } from '../../oauth/disclosed-tokens.ts'

/** Where an authorization request ended (its landing), unless the journey was interrupted. */
export type CompletedLanding = Exclude<Landing, { kind: 'failed' }>

/** The code of a redirect, in any of its parts. */
export function codeOf(landing: Landing): string | undefined {
  return issuedIn(landing, 'code')
}

/** A code or token of a redirect. An empty value beside an error counts as absent, since it issues nothing. */
function issuedIn(landing: Landing, name: string): string | undefined {
  const values = valuesOf(landing, name)
  return values.find((value) => value !== '') ?? (errorOf(landing) === undefined ? values[0] : undefined)
}

/** The error name of a redirect, in any of its parts; an empty name counts as absent. */
export function errorOf(landing: Landing): string | undefined {
  return valuesOf(landing, 'error')[0] || undefined
}

/**
 * Whether the target refused the request, with one of these landings:
 * - a redirect with an error, even if it has a code;
 * - a redirect without code, token and error;
 * - a page that does not wait for the user.
 */
export function isRefusedLanding(landing: CompletedLanding): boolean {
  if (landing.kind === 'page') return !isWaitingPage(landing)
  return errorOf(landing) !== undefined || isBareRedirect(landing)
}

/** Whether a redirect has no code, no token and no error. */
export function isBareRedirect(landing: CompletedLanding): boolean {
  return (
    landing.kind === 'redirect' &&
    codeOf(landing) === undefined &&
    errorOf(landing) === undefined &&
    tokenMembersIn(landing).length === 0
  )
}

/** Every value of a parameter in any part of a redirect. */
export function valuesOf(landing: Landing, name: string): readonly string[] {
  if (landing.kind !== 'redirect') return []
  const { query, fragment, form } = landing
  return [query, fragment, form].flatMap((part) => part?.getAll(name) ?? [])
}

/** Whether a parameter of a redirect has the same value more than once. RFC 6749, 3.1 forbids repeated parameters. */
export function repeatsValue(landing: Landing, name: string): boolean {
  const values = valuesOf(landing, name)
  return new Set(values).size < values.length
}

/** Number of query parameters of the redirect URI that the redirect lacks, or has only with other values. */
export function lostParameters({ query }: Redirect, redirectUri: string): number {
  return [...new URL(redirectUri).searchParams].filter(([name, value]) => !query.getAll(name).includes(value))
    .length
}

/**
 * The problem with the state of a redirect, undefined if there is none: it is absent, different, or outside the query.
 * The place of the state matters only if the code or error is in the query. Otherwise, other requirements judge the
 * redirect.
 */
export function stateProblem(landing: CompletedLanding, state: string): string | undefined {
  const states = valuesOf(landing, 'state')
  if (states.length === 0) return 'no state'
  if (states.some((value) => value !== state))
    return states.includes(state) ? 'the state and a different one' : 'a different state'
  return hasResultInQuery(landing) && !landing.query.has('state') ? 'the state outside the query' : undefined
}

/** Whether the code or error of a redirect is in its query. */
function hasResultInQuery(landing: CompletedLanding): landing is Redirect {
  return landing.kind === 'redirect' && ['code', 'error'].some((name) => landing.query.has(name))
}

/** Names of the tokens in any part of a redirect. */
export function tokenMembersIn(landing: CompletedLanding): readonly string[] {
  return tokenNames.filter((name) => issuedIn(landing, name) !== undefined)
}

/** Whether a page waits for the user, so that the request is not decided yet. An error page never does. */
export function isWaitingPage(landing: CompletedLanding): boolean {
  if (landing.kind === 'page') return landing.hasUnknownButtons && landing.status < 400
  return landing.kind === 'login-page' || landing.kind === 'consent-page'
}

/**
 * Whether a request was refused with a page from which the user cannot continue. A page with a link may lead on, for
 * example to the registration of a second factor. An error page never does.
 */
export function isFinalPage(landing: CompletedLanding): boolean {
  if (landing.kind !== 'page') return false
  const { status, hasUnknownButtons, hasLinks, dynamic } = landing
  return status >= 400 || !(hasUnknownButtons || hasLinks || dynamic)
}

/** Whether a redirect has a code or token. */
export function isIssued(landing: CompletedLanding): boolean {
  return codeOf(landing) !== undefined || tokenMembersIn(landing).length > 0
}

/** Errors of the authorization endpoint that do not concern the request (section Errors: Authorization endpoint). */
const transientErrors: ReadonlySet<string | undefined> = new Set(['server_error', 'temporarily_unavailable'])

/**
 * The error of a redirect that asks the client to retry later; undefined for every other landing. A redirect that also
 * has a code does not count, since the code contradicts the error.
 */
export function transientErrorOf(landing: Landing): string | undefined {
  const error = errorOf(landing)
  return codeOf(landing) === undefined && transientErrors.has(error) ? error : undefined
}

/** The code in the query of a redirect, its documented place. */
export function codeInQuery(landing: CompletedLanding): string | undefined {
  return (landing.kind === 'redirect' && landing.query.get('code')) || undefined
}
