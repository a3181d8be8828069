import type { Target } from '../target/target.ts'
import type { VariableName } from '../target/variables.ts'
import type { Authorization } from './authorization-steps.ts'
import { describeLanding, errorOf } from './landing.ts'
import { Inconclusive } from './verdict.ts'

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
 */
export function refusedByConfiguration(
  landing: Authorization['landing'],
  { requiredAcr, loginRecipe }: Pick<Target, 'requiredAcr' | 'loginRecipe'>,
): Inconclusive | undefined {
  const refused = (variables: readonly VariableName[], advice?: string) =>
    new Inconclusive(`the first authorization request was refused: ${describeLanding(landing)}`, {
      variables,
      ...(advice !== undefined && { advice }),
    })
  const application = ['CLIENT_ID', 'REDIRECT_URI', 'SCOPE'] as const
  if (landing.kind === 'page') {
    if (landing.status === 404) return refused(['IDP_BASE_URL'])
    return landing.status >= 400 || landing.redirected ? refused(application) : undefined
  }
  const error = errorOf(landing)
  if (landing.kind !== 'redirect' || error === undefined) return undefined
  if (aboutApplication.has(error)) return refused(application)
  if (error === 'unmet_authentication_requirements' && requiredAcr !== undefined)
    return refused(['REQUIRED_ACR'])
  if (error === 'access_denied' && (landing.interactive || requiredAcr !== undefined)) {
    const level = requiredAcr === undefined ? '' : ' and can reach REQUIRED_ACR'
    const recipe = loginRecipe === undefined ? 'write a login recipe' : 'correct the login recipe'
    const control = landing.interactive
      ? `, and that Plumbline pressed the right control; if not, ${recipe} (LOGIN_RECIPE)`
      : ''
    return refused(
      [
        'TEST_USER',
        ...(requiredAcr === undefined ? [] : (['REQUIRED_ACR'] as const)),
        ...(landing.interactive ? (['LOGIN_RECIPE'] as const) : []),
      ],
      `check that TEST_USER may use the application${level}${control}`,
    )
  }
  return undefined
}
