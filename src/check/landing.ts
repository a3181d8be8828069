import type { Landing as AnyLanding } from '../browser/index.ts'
import { errorName } from '../evidence/allow-list.ts'
import type { Exchange } from '../evidence/exchange.ts'
import type { AuthorizationRequest } from '../oauth/authorization-request.ts'
import type { Expect } from './expect.ts'
import type { RequirementId } from './requirement.ts'
import { Inconclusive } from './verdict.ts'

/** Where an authorization request ended (its landing), unless the journey was interrupted. */
export type Landing = Exclude<AnyLanding, { kind: 'failed' }>

/** A refused authorization request (`isRefusedLanding`). */
export interface RefusedAuthorization {
  /** How it differs from the valid request; follows the word "request". */
  readonly difference: string
  /** Whether the specification requires it to be refused. */
  readonly isRequired: boolean
  readonly request: AuthorizationRequest
  readonly landing: Landing
  readonly exchanges: readonly Exchange[]
}

/** A redirect back to the application, with its request. */
export interface ReceivedRedirect {
  readonly request: AuthorizationRequest
  readonly landing: Extract<Landing, { kind: 'redirect' }>
  readonly exchanges: readonly Exchange[]
}

/** Where an authorization request ended, as a sentence without secrets. */
export function landingSentence(landing: Landing): string {
  switch (landing.kind) {
    case 'redirect': {
      const error = errorOf(landing)
      if (error !== undefined) return `it was redirected with error=${errorName(error)}`
      return codeOf(landing) === undefined
        ? 'it was redirected with neither code nor error'
        : 'it was redirected with a code'
    }
    case 'login-page':
      return 'it ended at the login page'
    case 'consent-page':
      return 'it ended at the consent page'
    case 'page':
      return `it ended at a page with status ${landing.status}`
    default:
      return landing satisfies never
  }
}

/** Where an authorization request ended as a noun phrase for `actual`, without secrets. */
export function landingPhrase(landing: Landing): string {
  switch (landing.kind) {
    case 'redirect': {
      const { form, status } = landing
      const byPage = form ? 'a form post' : 'a redirect by a page'
      return `${status >= 300 ? `a ${status} redirect` : byPage} with ${contentOf(landing)}`
    }
    case 'login-page':
      return 'the login page'
    case 'consent-page':
      return 'the consent page'
    case 'page':
      return `a page with status ${landing.status}`
    default:
      return landing satisfies never
  }
}

function contentOf(landing: Landing): string {
  const error = errorOf(landing)
  const found = [
    ...(error === undefined ? [] : [`error=${errorName(error)}`]),
    ...(codeOf(landing) === undefined ? [] : ['a code']),
    ...tokenMembersIn(landing),
  ]
  return found.length === 0 ? 'neither code nor error' : found.join(' and ')
}

/** Expects an authorization request to end with a redirect. */
export function expectRedirect(expect: Expect, landing: Landing): Extract<Landing, { kind: 'redirect' }> {
  if (landing.kind === 'redirect') return landing
  return expect.violated({ expected: 'a redirect to the redirect URI', actual: landingPhrase(landing) })
}

/** The code of a redirect, in any of its parts. */
export function codeOf(landing: Landing): string | undefined {
  return anywhere(landing, 'code')
}

/** The error name of a redirect, in any of its parts; an empty one counts as absent. */
export function errorOf(landing: Landing): string | undefined {
  return anywhere(landing, 'error') || undefined
}

/**
 * Whether the target refused the request: an error, even beside a code; a redirect without code, token and error; or a page
 * that does not wait for the user.
 */
export function isRefusedLanding(landing: Landing): boolean {
  if (landing.kind === 'page') return !isWaitingPage(landing)
  return errorOf(landing) !== undefined || isBareRedirect(landing)
}

/** A redirect that is neither a success nor a failure: it has no code, no token and no error. */
export function isBareRedirect(landing: Landing): boolean {
  return (
    landing.kind === 'redirect' &&
    codeOf(landing) === undefined &&
    errorOf(landing) === undefined &&
    tokenMembersIn(landing).length === 0
  )
}

/** @throws {Inconclusive} for a redirect with neither code nor error, which AUTHZ-ERROR-REDIRECT judges */
export function requireContent(landing: Landing): void {
  if (isBareRedirect(landing))
    throw new Inconclusive(`the request ended at ${landingPhrase(landing)}`, {
      dependsOn: ['AUTHZ-ERROR-REDIRECT'],
    })
}

function anywhere(landing: Landing, name: string): string | undefined {
  return valuesOf(landing, name)[0]
}

/** Every value of a parameter in any part of a redirect. */
export function valuesOf(landing: Landing, name: string): readonly string[] {
  if (landing.kind !== 'redirect') return []
  const { query, fragment, form } = landing
  return [query, fragment, form].flatMap((part) => part?.getAll(name) ?? [])
}

/** How the states of a redirect differ from that of its request; undefined if they do not. */
export function stateProblem(landing: Landing, state: string): string | undefined {
  const states = valuesOf(landing, 'state')
  if (states.length === 0) return 'no state'
  if (states.every((one) => one === state)) return undefined
  return states.includes(state) ? 'the state and another one' : 'another state'
}

/** A landing in one or two words that can be compared between runs. */
export function landingLabel(landing: Landing): string {
  if (landing.kind === 'page') return `page ${landing.status}`
  if (landing.kind !== 'redirect') return landing.kind
  const error = errorOf(landing)
  if (error !== undefined) return `error ${errorName(error)}`
  return codeOf(landing) === undefined ? 'neither code nor error' : 'code'
}

/** Members that would be tokens, in any part of a redirect. */
export function tokenMembersIn(landing: Landing): readonly string[] {
  return ['access_token', 'id_token', 'refresh_token'].filter((name) => anywhere(landing, name) !== undefined)
}

/** A page that waits for the user: the request has not been decided yet. An error page may have buttons, too. */
function isWaitingPage(landing: Landing): boolean {
  if (landing.kind === 'page') return landing.hasUnknownButtons && landing.status < 400
  return landing.kind === 'login-page' || landing.kind === 'consent-page'
}

/** Whether a request ended at a page that neither the user nor the page itself can leave: a refusal. */
export function isFinalPage(landing: Landing): boolean {
  return (
    landing.kind === 'page' && (landing.status >= 400 || (!landing.hasUnknownButtons && !landing.dynamic))
  )
}

/**
 * Expects a request to be refused, with neither code nor token; any page is a refusal.
 * @throws {Inconclusive} at the login or consent page
 */
export function expectNothingIssued(expect: Expect, landing: Landing): void {
  if (landing.kind === 'login-page' || landing.kind === 'consent-page') throw waitsForUser(landing)
  expect.that(!isIssued(landing), 'a refusal: neither a code nor a token', landingPhrase(landing))
}

/**
 * Expects a request with a valid redirect URI to be refused.
 * @throws {Inconclusive} at a page that waits for the user, and if a code or token is beside an error, which another check
 * judges
 */
export function expectRefused(expect: Expect, landing: Landing): void {
  if (isWaitingPage(landing)) throw waitsForUser(landing)
  if (errorOf(landing) !== undefined && isIssued(landing)) {
    throw new Inconclusive('an error has a code or token beside it', {
      dependsOn: ['AUTHZ-ERROR-WITHOUT-CODE'],
    })
  }
  expectNothingIssued(expect, landing)
}

function isIssued(landing: Landing): boolean {
  return codeOf(landing) !== undefined || tokenMembersIn(landing).length > 0
}

function waitsForUser(landing: Landing): Inconclusive {
  const end = `${landingPhrase(landing)}, which waits for the user`
  if (!('afterCancel' in landing)) return new Inconclusive(`the request ended at ${end}`)
  return new Inconclusive(`after the user cancelled, the target showed ${end}`, {
    variables: ['LOGIN_RECIPE'],
    advice: 'if that page asks to confirm the cancellation, add that step to `cancel` in LOGIN_RECIPE',
  })
}

/** The documented form of an error, as `expected`. */
function errorRedirect(...names: readonly string[]): string {
  return `a 302 redirect to the redirect URI with ${names.map((name) => `error=${name}`).join(' or ')}`
}

/** Expects a redirect to have one of the documented error names. */
export function expectErrorNamed(expect: Expect, landing: Landing, ...documented: readonly string[]): void {
  const error = errorOf(landing)
  expect.that(
    documented.some((name) => name === error),
    errorRedirect(...documented),
    landingPhrase(landing),
  )
}

/**
 * Requires a refused request to have an error.
 * @param requirement that the request is refused at all
 * @throws {Inconclusive} if it has none
 */
export function requireError(landing: Landing, requirement: RequirementId): void {
  if (errorOf(landing) !== undefined) return
  if (isWaitingPage(landing)) throw waitsForUser(landing)
  throw new Inconclusive(`no error to judge: the request ended at ${landingPhrase(landing)}`, {
    dependsOn: [isIssued(landing) ? requirement : 'AUTHZ-ERROR-REDIRECT'],
  })
}

/** Errors of the authorization endpoint that do not concern the request (section Errors: Authorization endpoint). */
const transientErrors: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable'])

/**
 * The error of a redirect that asks the client to retry later; undefined for every other landing. A code beside the error
 * contradicts it, so the landing is judged.
 */
export function transientErrorOf(landing: AnyLanding): string | undefined {
  if (landing.kind !== 'redirect' || codeOf(landing) !== undefined) return undefined
  const error = errorOf(landing)
  return error !== undefined && transientErrors.has(error) ? error : undefined
}

/** The code in its documented place, the query of a redirect. */
export function codeInQuery(landing: Landing): string | undefined {
  return (landing.kind === 'redirect' && landing.query.get('code')) || undefined
}
