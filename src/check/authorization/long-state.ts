import type { Changes } from '../../oauth/authorization-request.ts'
import { randomValue } from '../../oauth/pkce.ts'
import { type CompletedLanding, errorOf, isRefusedLanding } from './landing-content.ts'

const padding = 'x'.repeat(250)

/**
 * A state of more than 255 characters, some of them reserved, which begins with a space. RFC 6749, appendix A.5, permits
 * visible ASCII characters and spaces, and sets no maximum length.
 */
export function reservedState(): string {
  return ` A+b c%20d/E?f=G&h#i;j,k'L~=={"m":"n\\o"}&amp;${randomValue()}${padding}==`
}

export function isReservedState(state: string): boolean {
  return /[^\w.~-]/.test(state)
}

/**
 * The changes to send again after a refusal that may be due to the length of a `reservedState`: with a state of less than
 * 128 characters.
 * @returns undefined if the refusal has another reason, or the state is not a long one
 */
export function withShorterState(landing: CompletedLanding, changes: Changes): Changes | undefined {
  const error = errorOf(landing)
  const mayConcernLength = isRefusedLanding(landing) && (error === undefined || error === 'invalid_request')
  const { state } = changes
  return mayConcernLength && state?.includes(padding)
    ? { ...changes, state: state.replace(padding, '') }
    : undefined
}
