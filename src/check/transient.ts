import type { Landing } from '../browser/index.ts'

/** Errors of the authorization endpoint that say nothing about the request (section Errors: Authorization endpoint). */
const transientErrors: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable'])

/** The error of a redirect that asks to come again later; undefined for every other landing. */
export function transientErrorOf(landing: Landing): string | undefined {
  if (landing.kind !== 'redirect') return undefined
  const { query, fragment } = landing
  const error = query.get('error') ?? fragment.get('error') ?? ''
  return transientErrors.has(error) ? error : undefined
}
