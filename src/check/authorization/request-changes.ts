import type { Changes } from '../../oauth/authorization-request.ts'

/** Whether a request with changes is still valid: its nonce is another one. */
export function leaveValid(changes: Changes): boolean {
  return Object.entries(changes).every(([name, value]) => name === 'nonce' && value)
}

/** How a request with changes differs from the valid one. */
export function differenceOf(changes: Changes): string {
  const differences = Object.entries(changes).map(([name, value]) =>
    value === null ? `without ${name}` : `with another ${name}`,
  )
  return differences.join(' and ') || 'without changes'
}
