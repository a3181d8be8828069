import type { Target } from '../target/target.ts'
import { describeLanding, errorOf, type Landing } from './landing.ts'

/** Errors that a good request gets where an application is set up otherwise than configured. */
const aboutApplication: ReadonlySet<string> = new Set([
  'invalid_request',
  'unauthorized_client',
  'invalid_scope',
  'invalid_client',
  'redirect_uri_mismatch',
])

/**
 * Why the first good request of a run may have been refused for what is configured; undefined where
 * the target has no such excuse. A page is how a provider refuses an unknown CLIENT_ID or REDIRECT_URI,
 * at once or after a redirect (section Errors: Platform errors).
 * @returns a sentence that says what to correct
 */
export function refusedByConfiguration(
  landing: Landing,
  { requiredAcr, loginRecipe }: Pick<Target, 'requiredAcr' | 'loginRecipe'>,
): string | undefined {
  const refused = `the first authorization request was refused: ${describeLanding(landing)}`
  const application = `${refused}; check CLIENT_ID, REDIRECT_URI and SCOPE`
  if (landing.kind === 'page') {
    if (landing.status === 404) return `${refused}; check IDP_BASE_URL`
    return landing.status >= 400 || landing.redirected ? application : undefined
  }
  const error = errorOf(landing)
  if (landing.kind !== 'redirect' || error === undefined) return undefined
  if (aboutApplication.has(error)) return application
  if (error === 'unmet_authentication_requirements' && requiredAcr !== undefined)
    return `${refused}; check REQUIRED_ACR`
  if (error === 'access_denied' && (landing.interactive || requiredAcr !== undefined)) {
    const level = requiredAcr === undefined ? '' : ' and can reach REQUIRED_ACR'
    const control = landing.interactive
      ? `, and that the right control was pressed (${loginRecipe === undefined ? 'else write a' : 'else correct the'} login recipe, LOGIN_RECIPE)`
      : ''
    return `${refused}; check that TEST_USER may use the application${level}${control}`
  }
  return undefined
}
