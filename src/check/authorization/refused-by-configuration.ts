import type { EndPage, Redirect } from '../../browser/landing.ts'
import { choiceAdvice, unchosenText } from '../../browser/recipe-advice.ts'
import type { Changes } from '../../oauth/authorization-request.ts'
import { documentedErrors } from '../../oauth/errors.ts'
import type { Target } from '../../target/target.ts'
import type { VariableName } from '../../target/variables.ts'
import { Inconclusive } from '../verdict.ts'
import { type CompletedLanding, codeOf, errorOf, isRefusedLanding } from './landing-content.ts'
import { landingSentence } from './landing-text.ts'
import { unrecognised } from './send-authorization.ts'

type Configured = Pick<Target, 'scope' | 'requiredAcr' | 'loginRecipe'>

/** Errors that a target may return if the application is not registered as configured, with the variables to check. */
const aboutApplication: Readonly<Record<string, readonly VariableName[]>> = {
  invalid_request: ['CLIENT_ID', 'REDIRECT_URI', 'SCOPE'],
  invalid_scope: ['SCOPE'],
  unauthorized_client: ['CLIENT_ID'],
  invalid_client: ['CLIENT_ID'],
  redirect_uri_mismatch: ['REDIRECT_URI'],
}

/** Errors whose documented meaning is narrow: further requests cannot rule out that the configuration causes them. */
const conclusiveErrors: ReadonlySet<string | undefined> = new Set(
  [...documentedErrors].filter((error) => error !== 'invalid_request' && error !== 'invalid_scope'),
)

/** Errors of prompt=none that show that the target accepts the application and its redirect URI. */
const interactionErrors: ReadonlySet<string | undefined> = new Set([
  'login_required',
  'interaction_required',
  'consent_required',
])

function refusedFirst(
  landing: CompletedLanding,
  variables: readonly VariableName[],
  advice?: string,
): Inconclusive {
  return new Inconclusive(refusalSentence(landing), { variables, advice })
}

function refusalSentence(landing: CompletedLanding): string {
  const shown = landing.kind === 'page' && landing.description?.shown
  const end = `${landingSentence(landing)}${shown ? `, which shows ${shown}` : ''}`
  return `the target refused the first authorization request: ${end}`
}

/**
 * The finding if the target refused the authorization request and then a code exchange with `invalid_client`. A wrong
 * CLIENT_ID explains both refusals; a wrong CLIENT_SECRET explains only the second.
 */
function refusedTwice(landing: CompletedLanding): Inconclusive {
  if (landing.kind !== 'page') return refusedFirst(landing, ['CLIENT_ID', 'CLIENT_SECRET'])
  const advice = 'check CLIENT_ID; if it is right, both REDIRECT_URI and CLIENT_SECRET are wrong'
  return refusedFirst(landing, ['CLIENT_ID', 'REDIRECT_URI', 'CLIENT_SECRET'], advice)
}

/** The finding if the documented address does not exist, and discovery lists other addresses. */
function notFound(landing: CompletedLanding, others: string | undefined): Inconclusive | undefined {
  if (others === undefined) return undefined
  const advice = `have the operators of the target serve the documented addresses: discovery lists ${others}`
  return new Inconclusive(refusalSentence(landing), { cause: 'configuration', advice })
}

/** The finding if the request ended at a page after the user typed something. */
function refusedUser(landing: EndPage): Inconclusive {
  const unchosen = landing.description?.unchosen ?? []
  if (unchosen.length > 0)
    return new Inconclusive(`${refusalSentence(landing)}${unchosenText(unchosen)}`, {
      variables: ['LOGIN_RECIPE', 'TEST_USER', 'TEST_PASSWORD'],
      advice: `${choiceAdvice(unchosen)}; if that does not help, check TEST_USER and TEST_PASSWORD`,
    })
  return refusedFirst(
    landing,
    ['TEST_USER', 'TEST_PASSWORD', 'CLIENT_ID', 'REDIRECT_URI', 'SCOPE'],
    'check that TEST_USER can sign in with TEST_PASSWORD, then CLIENT_ID, REDIRECT_URI and SCOPE',
  )
}

/** The finding if the target refused the second application. Only its registration may be the reason. */
export function refusedSecond(landing: CompletedLanding): Inconclusive {
  const error = errorOf(landing)
  // A redirected error shows that the target knows the redirect URI.
  const variables: readonly VariableName[] =
    error === undefined || error === 'redirect_uri_mismatch'
      ? ['SECOND_CLIENT_ID', 'SECOND_REDIRECT_URI']
      : ['SECOND_CLIENT_ID']
  return new Inconclusive(
    `the target refused the authorization request of the second application: ${landingSentence(landing)}`,
    { variables },
  )
}

/**
 * Why the configuration may explain the refusal of the first valid request of a run; undefined if it cannot. A target
 * shows a page for an unknown CLIENT_ID or REDIRECT_URI, at once or after a redirect (section Errors: Platform errors).
 */
export function refusedByConfiguration(
  landing: CompletedLanding,
  target: Omit<Configured, 'scope'>,
): Inconclusive | undefined {
  if (landing.kind === 'page') {
    if (landing.status === 404) return refusedFirst(landing, ['IDP_BASE_URL'])
    const isRefused = landing.status >= 400 || landing.redirects.length > 0
    return isRefused ? refusedFirst(landing, ['CLIENT_ID', 'REDIRECT_URI', 'SCOPE']) : undefined
  }
  const error = errorOf(landing)
  if (landing.kind !== 'redirect' || error === undefined) return undefined
  // No configuration explains an error next to a code: AUTHZ-ERROR-WITHOUT-CODE judges it.
  if (codeOf(landing) !== undefined) return undefined
  const variables = documentedErrors.has(error) ? aboutApplication[error] : aboutApplication.invalid_request
  if (variables) return refusedFirst(landing, variables)
  const { requiredAcr } = target
  if (error === 'unmet_authentication_requirements' && requiredAcr !== undefined)
    return refusedFirst(landing, ['REQUIRED_ACR'])
  if (error === 'access_denied' && (landing.interactive || requiredAcr !== undefined))
    return accessDenied(landing, target)
  return undefined
}

function accessDenied(
  landing: Redirect,
  { requiredAcr, loginRecipe }: Omit<Configured, 'scope'>,
): Inconclusive {
  const level = requiredAcr === undefined ? '' : ' and can reach REQUIRED_ACR'
  const recipe = loginRecipe === undefined ? 'write a login recipe' : 'correct the login recipe'
  const control = landing.interactive
    ? `, and that Plumbline pressed the right control; if not, ${recipe} (LOGIN_RECIPE)`
    : ''
  return refusedFirst(
    landing,
    [
      'TEST_USER',
      ...(requiredAcr === undefined ? [] : (['REQUIRED_ACR'] as const)),
      ...(landing.interactive ? (['LOGIN_RECIPE'] as const) : []),
    ],
    `check that TEST_USER may use the application${level}${control}`,
  )
}

interface Refused {
  readonly landing: CompletedLanding
  /** Whether the user typed or pressed something. */
  readonly interactive: boolean
}

/** Further requests that show the reason for a refusal. Each returns undefined if the request failed. */
export interface DiagnosticRequests {
  /** The landing of the same request with changes, in a new window or, if possible, in the same one. */
  readonly authorize: (changes: Changes, window: 'same' | 'new') => Promise<CompletedLanding | undefined>
  /** The error of the token endpoint for a code that was never issued; undefined also if the request is not allowed. */
  readonly exchange: () => Promise<unknown>
  /** A phrase that lists the endpoints whose address in discovery is not the documented one; undefined if none. */
  readonly otherAddresses: () => Promise<string | undefined>
}

/**
 * Decides with further requests whether the configuration may explain the refusal of the first valid request.
 * @returns the evidence that the configuration does not explain the refusal; undefined if none was needed
 * @throws {Inconclusive} with the variables to check, if the configuration may explain the refusal
 * @throws {Inconclusive} if a link of the page may lead to the login
 */
export async function ruleOutConfiguration(
  refused: Refused,
  target: Configured,
  requests: DiagnosticRequests,
): Promise<string | undefined> {
  const evidence = await evidenceAgainstConfiguration(refused, target, requests)
  const { landing } = refused
  if (landing.kind === 'page' && landing.hasLinks && landing.status < 400) throw unrecognised(landing)
  return evidence
}

async function evidenceAgainstConfiguration(
  { landing, interactive }: Refused,
  target: Configured,
  requests: DiagnosticRequests,
): Promise<string | undefined> {
  // If the user typed something, the page may refuse the user: only a person can read the page.
  if (landing.kind === 'page' && interactive) throw refusedUser(landing)
  const explanation = refusedByConfiguration(landing, target)
  if (!explanation) return undefined
  if (conclusiveErrors.has(errorOf(landing))) throw explanation
  const minimal: Changes = { scope: 'openid', acr_values: null }
  const variables = await refusedVariables(landing, target, () => requests.authorize(minimal, 'same'))
  if (variables) throw refusedFirst(landing, variables)
  const promptNone = await requests.authorize({ ...minimal, prompt: 'none' }, 'new')
  if (promptNone && (codeOf(promptNone) !== undefined || interactionErrors.has(errorOf(promptNone))))
    return 'with prompt=none the target accepts CLIENT_ID and REDIRECT_URI'
  if (landing.kind === 'page' && landing.status === 404)
    throw notFound(landing, await requests.otherAddresses()) ?? explanation
  const error = await requests.exchange()
  if (error === 'invalid_client') throw refusedTwice(landing)
  if (error !== 'invalid_grant') throw explanation
  // CLIENT_ID is correct, so a page means that the target refuses REDIRECT_URI.
  const others = explanation.variables.filter((name) => name !== 'CLIENT_ID')
  throw refusedFirst(landing, landing.kind === 'page' ? ['REDIRECT_URI'] : others)
}

/**
 * The variables that explain the refusal: the target accepts the same request without their values. Undefined if it
 * refuses that request, too.
 */
async function refusedVariables(
  landing: CompletedLanding,
  { scope, requiredAcr }: Configured,
  minimal: () => Promise<CompletedLanding | undefined>,
): Promise<readonly VariableName[] | undefined> {
  const removed: VariableName[] = [
    ...(scope === 'openid' ? [] : (['SCOPE'] as const)),
    ...(requiredAcr === undefined ? [] : (['REQUIRED_ACR'] as const)),
  ]
  const minimalLanding = removed.length === 0 ? undefined : await minimal()
  if (!minimalLanding || isRefusedLanding(minimalLanding)) return undefined
  return errorOf(landing) === 'invalid_scope' && removed.includes('SCOPE') ? ['SCOPE'] : removed
}
