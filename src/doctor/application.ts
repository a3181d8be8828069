import type { Authorization } from '../check/authorization-steps.ts'
import { describe, quoted } from '../check/expect.ts'
import { errorOf, landingSentence } from '../check/landing.ts'
import { refusedByConfiguration } from '../check/refused-by-configuration.ts'
import type { Session } from '../run/session.ts'
import { type Application, issuerOf, type Target } from '../target/target.ts'
import { duration } from '../text/format.ts'
import { type Diagnosis, diagnose, diagnosesOf, judgedBy, type Topic } from './diagnosis.ts'
import { correctJwksUrl } from './provider.ts'

/** Variables that may cause an error of the authorization endpoint, the likeliest first. */
const causes: Readonly<Record<string, readonly string[]>> = {
  invalid_scope: ['SCOPE'],
  redirect_uri_mismatch: ['REDIRECT_URI'],
  unauthorized_client: ['CLIENT_ID'],
  invalid_client: ['CLIENT_ID'],
  invalid_request: ['REDIRECT_URI', 'CLIENT_ID', 'SCOPE'],
}

const advices: Readonly<Record<string, string>> = {
  REDIRECT_URI:
    'register REDIRECT_URI for the application, or set it to a registered one, character for character (scheme, host, port, path, trailing slash)',
  CLIENT_ID: 'set CLIENT_ID to the identifier of the application at this deployment',
  SCOPE: 'set SCOPE to scopes that the application may request, openid among them',
}

/** Examines whether the provider accepts the application and its redirect URI, by the landing of a valid request. */
export function examineLanding(topic: Topic, target: Target, landing: Authorization['landing']): Diagnosis {
  const ended = landingSentence(landing)
  const refused = refusedByConfiguration(landing, target)
  if (refused) {
    const isRefusalPage = landing.kind === 'page' && landing.status !== 404
    const likely = isRefusalPage ? ['REDIRECT_URI', 'CLIENT_ID'] : causes[errorOf(landing) ?? '']
    const variables = likely ?? refused.variables
    const advice = variables.flatMap((name) => advices[name] ?? []).join('; ') || refused.advice
    const what = `the provider refused a valid authorization request: ${ended}`
    return diagnose.error(topic, what, variables, advice)
  }
  if (landing.kind === 'page' || errorOf(landing) !== undefined) {
    const what = `a valid authorization request reached no login page: ${ended}`
    return diagnose.unanswered(topic, what, [], judgedBy('AUTHZ-CODE-FLOW'))
  }
  const what = `the provider accepts CLIENT_ID and REDIRECT_URI in an authorization request: ${ended}`
  return diagnose.ok(topic, what, ['CLIENT_ID', 'REDIRECT_URI'])
}

/** Signs the test user in through the login page. */
export async function examineLogin({ context }: Session): Promise<Diagnosis> {
  const started = performance.now()
  const { landing } = await context.authorization.first()
  if (landing.kind === 'redirect' && landing.query.get('code')) {
    const time = duration(performance.now() - started)
    return diagnose.ok('login', `TEST_USER signed in within ${time}`, ['TEST_USER', 'TEST_PASSWORD'])
  }
  // The configuration is correct: otherwise `first` would have thrown.
  const what = `the login returned no authorization code: ${landingSentence(landing)}`
  return diagnose.unanswered('login', what, [], judgedBy('AUTHZ-CODE-FLOW'))
}

/** Examines the credentials of the application with a code exchange, and the ID token. */
export async function examineTokens({ run, context }: Session): Promise<Diagnosis[]> {
  const { idToken } = await context.tokens.first()
  const proved = ['CLIENT_ID', 'CLIENT_SECRET', 'CLIENT_AUTH_METHOD']
  const exchanged = 'the provider accepts CLIENT_ID and CLIENT_SECRET in a code exchange'
  const found = [diagnose.ok('tokens', exchanged, proved)]
  const doubt = (what: string, requirement: string) =>
    found.push(diagnose.unanswered('tokens', what, [], judgedBy(requirement)))
  if (idToken === undefined) {
    doubt('the code exchange returned no ID token', 'TOKEN-ID-TOKEN-ISSUED')
    return found
  }
  const token = await context.tokens.jwt('idToken')
  const { jwksUrl } = run.target
  const issuer = issuerOf(run.target)
  const { iss } = token.claims
  if (iss !== issuer)
    found.push(issuerDiagnosis(iss, issuer, (await context.discovery.answer()).object?.issuer))
  try {
    const signature = await context.discovery.verify(token)
    if (signature.valid) return found
    const what = `Plumbline cannot verify the ID token: ${signature.reason}`
    if (jwksUrl === undefined) doubt(what, 'IDTOKEN-SIGNATURE')
    else found.push(diagnose.error('tokens', what, ['JWKS_URL'], correctJwksUrl))
    return found
  } catch (error) {
    return [...found, ...diagnosesOf('tokens', error, ['JWKS_URL'])]
  }
}

/** If token and discovery agree, IDP_BASE_URL is wrong; otherwise, a check must judge. */
function issuerDiagnosis(iss: unknown, configured: string, discovered: unknown): Diagnosis {
  const what = `the issuer in the ID token is ${quoted(iss)}, IDP_BASE_URL is ${quoted(configured)}`
  // Paths cannot be appended to a base address with a trailing slash, so the slash is probably a mistake.
  const bySlash = `${iss}/` === configured && discovered !== configured
  if (iss !== discovered && !bySlash)
    return diagnose.unanswered('tokens', what, [], judgedBy('IDTOKEN-ISSUER'))
  const agrees = iss === discovered ? '; discovery agrees with the token' : ''
  const advice = `set IDP_BASE_URL=${iss}, if you agreed on that issuer with the provider`
  return diagnose.error('tokens', what + agrees, ['IDP_BASE_URL'], advice)
}

/** Sends a valid user-info request with the access token of the login. */
export async function examineUserinfo({ run, context }: Session): Promise<Diagnosis> {
  const { accessToken } = await context.tokens.first()
  const response = await run.provider.userinfo(accessToken)
  if (response.status === 200) return diagnose.ok('user-info', 'user-info accepts the access token')
  const what = `user-info refuses the access token: ${describe(response)}`
  return diagnose.unanswered('user-info', what, [], judgedBy('USERINFO-BEARER'))
}

/** Signs the second application in within the same session, and exchanges its code. */
export async function examineSecondApplication(
  { run, context }: Session,
  application: Application,
): Promise<Diagnosis> {
  const { landing, request } = await context.authorization.authorize('signed-in', {}, application)
  const code = landing.kind === 'redirect' ? landing.query.get('code') : null
  if (!code) {
    const { severity, ...found } = examineLanding('application', run.target, landing)
    const what = `second application: ${found.what}`
    const advice = 'correct SECOND_REDIRECT_URI and SECOND_CLIENT_ID'
    return severity === 'error'
      ? diagnose.error('application', what, ['SECOND_REDIRECT_URI', 'SECOND_CLIENT_ID'], advice)
      : diagnose[severity]('application', what, [], found.advice)
  }
  context.tokens.of(await context.tokens.exchange({ code, request }), request)
  const proved = ['SECOND_CLIENT_ID', 'SECOND_CLIENT_SECRET', 'SECOND_REDIRECT_URI']
  return diagnose.ok('tokens', 'the provider accepts the credentials of the second application', proved)
}
