import { someOf } from '../text/format.ts'
import { nearName } from '../text/near-name.ts'
import { type Diagnosis, diagnose } from './diagnosis.ts'

// A provider may ignore an unknown scope (RFC 6749, 3.3), so a misspelt scope causes no error.

/** Warns of values of SCOPE that discovery does not list. Discovery need not list every scope of the provider. */
export function unlistedScopes(scope: string, metadata: Readonly<Record<string, unknown>>): Diagnosis[] {
  const { scopes_supported: listed } = metadata
  if (!Array.isArray(listed)) return []
  const known = listed.filter((one) => typeof one === 'string')
  const unknown = scopesIn(scope).filter((one) => !known.includes(one))
  if (unknown.length === 0) return []
  const near = unknown.flatMap((one) => nearName(one, known) ?? [])
  const what = `SCOPE contains ${someOf(unknown, '', 8)}, which discovery does not list in scopes_supported`
  const advice = `correct SCOPE${near.length === 0 ? '' : ` (the nearest: ${near.join(', ')})`}, or ignore this if the provider supports the scope without listing it`
  return [diagnose.warning('discovery', what, ['SCOPE'], advice)]
}

/** Warns of values of SCOPE that a token response lacks. The provider need not grant them. */
export function missingScopes(requested: string, granted: unknown): Diagnosis[] {
  if (typeof granted !== 'string' || granted === '') return []
  const scopes = scopesIn(granted)
  // Without `openid`, the separator may be wrong, and nothing can be compared. TOKEN-SCOPE-SEPARATOR judges it.
  if (!scopes.includes('openid')) return []
  const missing = scopesIn(requested).filter((one) => !scopes.includes(one))
  if (missing.length === 0) return []
  const what = `the provider did not grant ${someOf(missing, '', 8)}, which SCOPE contains`
  const advice = 'correct SCOPE, or ask the operators of the target to permit the scope for the application'
  return [diagnose.warning('tokens', what, ['SCOPE'], advice)]
}

function scopesIn(text: string): string[] {
  return [...new Set(text.split(' ').filter((one) => one !== ''))]
}
