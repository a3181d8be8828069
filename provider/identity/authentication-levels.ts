import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import { LEVELS } from '../deployment.ts'
import type { IdentityBehaviour } from './behaviour.ts'

interface RequestedLevels {
  parameter: 'acr_values' | 'auth_level'
  known: string[]
}

/** The authentication levels that an authorization request requires by acr_values or auth_level. */
function requestedLevels(ctx: KoaContextWithOIDC): RequestedLevels | undefined {
  const parameters = ctx.oidc.params ?? {}
  for (const parameter of ['acr_values', 'auth_level'] as const) {
    const value = parameters[parameter]
    if (typeof value === 'string')
      return { parameter, known: value.split(' ').filter((level) => LEVELS.includes(level)) }
  }
  return undefined
}

/** Refuses a request whose required levels are all unknown, except if the behaviour ignores unknown levels. */
export function checkKnownLevel(ctx: KoaContextWithOIDC, { unknownAcr }: IdentityBehaviour): void {
  const requested = requestedLevels(ctx)
  if (!requested || requested.known.length > 0 || unknownAcr === 'ignore') return
  throw new errors.UnmetAuthenticationRequirements('none of the requested authentication levels is known')
}

function reaches(level: string | undefined, requested: string[]): boolean {
  return requested.some((candidate) => LEVELS.indexOf(level ?? '') >= LEVELS.indexOf(candidate))
}

/** Shows the page for a known account before each authorization in a session, unless prompt=none. */
function knownAccountPrompt(): interactionPolicy.Prompt {
  const check = new interactionPolicy.Check(
    'known_account',
    'the user has to confirm the account',
    ({ oidc }) => {
      const isAnswered = oidc.result?.login !== undefined || oidc.result?.select_account !== undefined
      return oidc.session?.accountId !== undefined && !oidc.prompts.has('none') && !isAnswered
    },
  )
  return new interactionPolicy.Prompt({ name: 'select_account', requestable: true }, check)
}

/**
 * Requires a login if the session does not reach a requested level. Refuses the request if the login does not reach
 * it either.
 */
export function loginPolicy(behaviour: IdentityBehaviour): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base()
  const login = policy.get('login')
  const noSession = login?.checks.get('no_session')
  if (noSession) noSession.error = behaviour.silentLoginError
  const check = new interactionPolicy.Check(
    'level_too_low',
    'the session does not have the requested authentication level',
    'login_required',
    (ctx) => {
      const requested = requestedLevels(ctx)
      if (!requested || requested.known.length === 0 || !ctx.oidc.session?.accountId) return false
      if (reaches(ctx.oidc.acr, requested.known)) return false
      if (!ctx.oidc.result?.login) return true
      if (requested.parameter === 'auth_level') {
        throw new errors.AccessDenied('the user has no factor for the requested authentication level')
      }
      throw new errors.UnmetAuthenticationRequirements('the requested authentication level was not reached')
    },
  )
  login?.checks.add(check)
  if (behaviour.pages.knownAccount) policy.add(knownAccountPrompt(), 1)
  return policy
}
