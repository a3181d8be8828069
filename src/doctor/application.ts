import { type CompletedLanding, errorOf, isRefusedLanding } from '../check/authorization/landing-content.ts'
import { landingSentence } from '../check/authorization/landing-text.ts'
import { refusedSecond } from '../check/authorization/refused-by-configuration.ts'
import { unknownToken } from '../check/bad-tokens.ts'
import { describe, quotedOrMasked } from '../check/expect.ts'
import type { CheckContext } from '../check/fixtures.ts'
import { clientRefusal, withoutTokens } from '../check/tokens/refused-client.ts'
import { acceptsToken } from '../check/userinfo-response.ts'
import { Inconclusive } from '../check/verdict.ts'
import { issuerOf } from '../target/parts.ts'
import type { Application } from '../target/target.ts'
import { duration } from '../text/format.ts'
import { type Diagnosis, diagnose, diagnosesOf, unexpected } from './diagnosis.ts'
import { correctJwksUrl } from './provider.ts'
import { missingScopes } from './scope.ts'

/** Advice for each variable that may explain a refused authorization request. */
const adviceFor: Readonly<Record<string, string>> = {
  REDIRECT_URI:
    'register REDIRECT_URI for the application, or set it to a registered one, character for character (scheme, host, port, path, trailing slash)',
  CLIENT_ID: 'set CLIENT_ID to the identifier of the application at this deployment',
  CLIENT_SECRET: 'or set CLIENT_SECRET to the secret of that application',
  SCOPE: 'set SCOPE to scopes that the application may request, including openid',
}

/** Examines whether the landing of a valid request shows that the provider accepts the application and redirect URI. */
export async function examineLanding(
  { authorization, run }: CheckContext,
  landing: CompletedLanding,
): Promise<Diagnosis> {
  const ended = landingSentence(landing)
  try {
    const evidence = await authorization.diagnoseRefusal(landing)
    if (evidence !== undefined || landing.kind === 'page' || errorOf(landing) !== undefined) {
      const what = `a valid authorization request reached no login page: ${ended}`
      return unexpected('application', what, 'AUTHZ-CODE-FLOW', run.target.name)
    }
  } catch (error) {
    if (!(error instanceof Inconclusive)) throw error
    const hasTwoExplanations =
      error.variables.includes('CLIENT_SECRET') && error.variables.includes('REDIRECT_URI')
    const advice = hasTwoExplanations
      ? `${adviceFor.CLIENT_ID}; if it is right, ${adviceFor.REDIRECT_URI}, and set CLIENT_SECRET to the secret of the application`
      : error.variables.flatMap((name) => adviceFor[name] ?? []).join('; ') || error.advice
    const refusal = `the provider refused a valid authorization request: ${ended}`
    // The variables contain CLIENT_SECRET only if a code exchange was refused with invalid_client.
    const what = error.variables.includes('CLIENT_SECRET')
      ? `${refusal}; it refused a code exchange with error=invalid_client`
      : refusal
    const diagnosis = diagnose.error('application', what, error.variables, advice)
    // An authorization request contains no secret, so CLIENT_SECRET alone cannot explain its refusal.
    return hasTwoExplanations
      ? { ...diagnosis, change: 'CLIENT_ID, or both REDIRECT_URI and CLIENT_SECRET' }
      : diagnosis
  }
  const what = `the provider accepts CLIENT_ID and REDIRECT_URI in an authorization request: ${ended}`
  return diagnose.ok('application', what, ['CLIENT_ID', 'REDIRECT_URI'])
}

/** Signs the test user in. */
export async function examineLogin({ authorization, run }: CheckContext): Promise<Diagnosis> {
  const started = performance.now()
  const { landing } = await authorization.first()
  if (landing.kind === 'redirect' && landing.query.get('code')) {
    const time = duration(performance.now() - started)
    return diagnose.ok('login', `TEST_USER signed in within ${time}`, ['TEST_USER', 'TEST_PASSWORD'])
  }
  // The configuration is correct: otherwise `first` would have thrown.
  const what = `the login returned no authorization code: ${landingSentence(landing)}`
  return unexpected('login', what, 'AUTHZ-CODE-FLOW', run.target.name)
}

/** Examines the credentials of the application with a code exchange. Then examines the ID token. */
export async function examineTokens({ run, tokens, discovery }: CheckContext): Promise<Diagnosis[]> {
  const { idToken, response } = await tokens.first()
  const verified = ['CLIENT_ID', 'CLIENT_SECRET', 'CLIENT_AUTH_METHOD']
  const exchanged = 'the provider accepts CLIENT_ID and CLIENT_SECRET in a code exchange'
  const diagnoses = [
    diagnose.ok('tokens', exchanged, verified),
    ...missingScopes(run.target.scope, response.object?.scope),
  ]
  const addUnexpected = (what: string, requirement: string) =>
    diagnoses.push(unexpected('tokens', what, requirement, run.target.name))
  if (idToken === undefined) {
    addUnexpected('the code exchange returned no ID token', 'TOKEN-ID-TOKEN-ISSUED')
    return diagnoses
  }
  const token = await tokens.jwt('idToken')
  const { jwksUrl } = run.target
  const issuer = issuerOf(run.target)
  const { iss } = token.claims
  if (iss !== issuer) {
    const discovered = (await discovery.response()).object?.issuer
    diagnoses.push(issuerDiagnosis(iss, { configured: issuer, discovered, target: run.target.name }))
  }
  try {
    const signature = await discovery.verify(token)
    if (signature.valid) return diagnoses
    const what = `Plumbline cannot verify the ID token: ${signature.reason}`
    if (jwksUrl === undefined) addUnexpected(what, 'IDTOKEN-SIGNATURE')
    else diagnoses.push(diagnose.error('tokens', what, ['JWKS_URL'], correctJwksUrl))
    return diagnoses
  } catch (error) {
    return [...diagnoses, ...diagnosesOf('tokens', error, ['JWKS_URL'], run.target.name)]
  }
}

/**
 * Explains why the issuer of the ID token differs from IDP_BASE_URL. IDP_BASE_URL is wrong if discovery agrees with the
 * token, or if IDP_BASE_URL only has an extra trailing slash. In other cases, a check must judge the token.
 */
function issuerDiagnosis(
  iss: unknown,
  { configured, discovered, target }: { configured: string; discovered: unknown; target: string },
): Diagnosis {
  const what = `the issuer in the ID token is ${quotedOrMasked(iss)}, but IDP_BASE_URL is ${quotedOrMasked(configured)}`
  // Paths cannot be appended to a base address with a trailing slash, so the slash is probably a mistake.
  const hasExtraSlash = `${iss}/` === configured && discovered !== configured
  if (iss !== discovered && !hasExtraSlash) {
    const known =
      discovered === configured
        ? '; discovery agrees with IDP_BASE_URL, so the token is wrong'
        : `; discovery ${discovered === undefined ? 'has no issuer' : `has ${quotedOrMasked(discovered)}`}`
    return unexpected('tokens', what + known, 'IDTOKEN-ISSUER', target)
  }
  const agrees = iss === discovered ? '; discovery agrees with the token' : ''
  const advice = `set IDP_BASE_URL=${iss}, if you agreed on that issuer with the provider`
  return diagnose.error('tokens', what + agrees, ['IDP_BASE_URL'], advice)
}

/** Sends a valid UserInfo request with the access token of the login. */
export async function examineUserinfo({ run, tokens }: CheckContext): Promise<Diagnosis> {
  const { accessToken } = await tokens.first()
  const response = await run.provider.userinfo(accessToken)
  if (acceptsToken(response)) return diagnose.ok('UserInfo', 'UserInfo accepts the access token')
  const what = `UserInfo refuses the access token: ${describe(response)}`
  return unexpected('UserInfo', what, 'USERINFO-BEARER', run.target.name)
}

/**
 * Examines whether the provider accepts the second application and its credentials, within the same session. The doctor
 * gives no consent, because a run checks the behaviour before consent.
 */
export async function examineSecondApplication(
  context: CheckContext,
  application: Application,
): Promise<Diagnosis> {
  const first = await context.authorization.authorize('passive', {}, application)
  if (first.landing.kind === 'consent-page') return examineBeforeConsent(context, application)
  // A provider without sessions asks for a login again.
  const { landing, request } =
    first.landing.kind === 'login-page'
      ? await context.authorization.authorize('signed-in', {}, application)
      : first
  const code = landing.kind === 'redirect' ? landing.query.get('code') : null
  if (!code) {
    if (isRefusedLanding(landing)) throw refusedSecond(landing)
    const what = `the login returned no authorization code: ${landingSentence(landing)}`
    return unexpected('second application', what, 'AUTHZ-CODE-FLOW', context.run.target.name)
  }
  await context.tokens.tokensFor({ code, request })
  return acceptedSecond
}

const acceptedSecond = diagnose.ok(
  'second application',
  'the provider accepts the credentials of the second application',
  ['SECOND_CLIENT_ID', 'SECOND_CLIENT_SECRET', 'SECOND_REDIRECT_URI'],
)

/** Examines the credentials without a code, by sending a refresh token that was never issued. */
async function examineBeforeConsent(
  { run, tokens }: CheckContext,
  application: Application,
): Promise<Diagnosis> {
  if (!run.target.allowedEffects.includes('bad-credentials'))
    return diagnose.ok(
      'second application',
      'the provider shows the consent page of the second application; without consent, its secret is not tested',
      ['SECOND_CLIENT_ID', 'SECOND_REDIRECT_URI'],
    )
  const response = await tokens.refresh(unknownToken, application)
  // With valid credentials, an application that may not use the refresh grant receives this error.
  const mayNotRefresh = response.object?.error === 'unauthorized_client'
  if (!mayNotRefresh && clientRefusal(run, application, response))
    throw withoutTokens(run, application, response)
  return acceptedSecond
}
