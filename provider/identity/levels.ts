import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import { LEVELS } from '../deployment.ts'
import type { IdentityBehaviour } from './behaviour.ts'

interface Requested {
  /** Known levels that were asked for. */
  levels: string[]
  /** The parameter that asked. */
  parameter: 'acr_values' | 'auth_level'
}

/** The authentication levels an authorization request asks for, by acr_values or auth_level. */
function requestedLevels(ctx: KoaContextWithOIDC): (Requested & { unknown: string[] }) | undefined {
  const parameters = ctx.oidc.params ?? {}
  for (const parameter of ['acr_values', 'auth_level'] as const) {
    const value = parameters[parameter]
    if (typeof value !== 'string') continue
    const values = value.split(' ').filter(Boolean)
    return {
      parameter,
      levels: values.filter((level) => LEVELS.includes(level)),
      unknown: values.filter((level) => !LEVELS.includes(level)),
    }
  }
  return undefined
}

/** Refuses a request all of whose levels are unknown. */
export function checkKnownLevel(ctx: KoaContextWithOIDC, behaviour: IdentityBehaviour): void {
  const requested = requestedLevels(ctx)
  if (!requested || requested.levels.length > 0 || behaviour.unknownAcr === 'ignore') return
  throw new errors.UnmetAuthenticationRequirements('none of the requested authentication levels is known')
}

function reached(level: string | undefined, wanted: string[]): boolean {
  return wanted.some((candidate) => LEVELS.indexOf(level ?? '') >= LEVELS.indexOf(candidate))
}

/** Login policy: asks for a login when the session's level is too low, and refuses when a login did not reach it. */
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
      if (!requested || requested.levels.length === 0 || !ctx.oidc.session?.accountId) return false
      if (reached(ctx.oidc.acr, requested.levels)) return false
      if (!ctx.oidc.result?.login) return true
      if (requested.parameter === 'auth_level') {
        throw new errors.AccessDenied('the user has no factor for the requested authentication level')
      }
      throw new errors.UnmetAuthenticationRequirements('the requested authentication level was not reached')
    },
  )
  login?.checks.add(check)
  return policy
}
