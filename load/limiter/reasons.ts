import type { LimiterEstimate } from './candidates.ts'
import { seconds } from './conclusion.ts'
import { limiterKinds } from './models/kinds.ts'
import { maxPeriodMs } from './models/model.ts'

/** A kind of limiter that the responses do not exclude, with the ranges of its possible values. */
export type PossibleKind = Pick<LimiterEstimate, 'kind' | 'capacity' | 'window' | 'rate'>

/**
 * Why no limiter is identified. Each text completes "not identified: …". "Other traffic on the same key" is requests
 * of other clients that count towards the same limit.
 */
export const reasons = {
  'wider-limit': () =>
    'a refusal lasted too long for every limiter that explained all responses before it; there seems to be a second, wider limit',
  'retry-after': () =>
    'the limiter that explains every response contradicts Retry-After; there may be other traffic on the same key, or Retry-After comes from another limit',
  // Each refusal may restart ("renew") the wait.
  renewed: (possible) =>
    `each refusal may extend the wait or start a ban, or there may be a second, wider limit: the probe could not rule this out; otherwise, ${kindsLeft(possible)}`,
  'several-limits': (possible) => severalLimits(listed(possible)),
  'none-admitted': () => 'every request was refused, so that nothing shows when requests are admitted',
  // Requests before the probe may have used up a part of the limit.
  used: () => `${earlierMayCount}. ${runFirst}`,
  budget: (possible) =>
    possible.length === 1
      ? `the budget ran out before the capacity and the rate were known well enough; ${kindsLeft(possible)}`
      : `the budget ran out with ${kindsLeft(possible)}`,
  'other-traffic': (possible) =>
    `no limiter of a known kind explains every response, unless there is other traffic on the same key; with it, the budget ran out with ${kindsLeft(possible)}`,
  unknown: (possible) =>
    `no limiter of a known kind explains every response, even with other traffic on the same key; there may be several limits at once, or another kind. ${possible.length === 0 ? 'No kind comes close' : `Nearest: ${listed(possible)}`}`,
} satisfies Record<string, (possible: readonly PossibleKind[]) => string>

export type Reason = keyof typeof reasons

/** Why a limiter that explains all responses is doubtful. Each text completes "not identified: …". */
export const doubts = {
  used: (limiter) =>
    `${earlierMayCount}; if these requests do not count, the limiter is a ${limiter}. ${runFirst}`,
  'several-limits': (limiter) => severalLimits(`a ${limiter} with other traffic on its key`),
  bytes: (limiter) =>
    `the sizes of the responses differ, and a limit by bytes would refuse the same requests; if the limiter counts requests instead, it is a ${limiter}`,
} satisfies Record<string, (limiter: string) => string>

export type Doubt = keyof typeof doubts

const earlierMayCount =
  'earlier requests may count, and the time left is too short to wait until the limiter is fresh'
const runFirst = 'Run the probe limiter alone, or first'

function severalLimits(alternative: string): string {
  return `two explanations fit every response equally well: several limits of one size, with windows that begin at different times; or ${alternative}`
}

function kindsLeft(possible: readonly PossibleKind[]): string {
  if (possible.length === 0) return 'no kind left that explains every response'
  return `${possible.length} ${possible.length === 1 ? 'kind' : 'kinds'} left (${listed(possible)})`
}

function listed(possible: readonly PossibleKind[]): string {
  return possible.map(described).join(', ')
}

/**
 * For example, `fixed window of 60 in 59.2 to 60.1 s` or `token bucket of 14 to 21, full again after 3.5 to 6.1 s`.
 */
function described({ kind, capacity, window }: PossibleKind): string {
  const sizes = capacity.low === capacity.high ? capacity.low : `${capacity.low} to ${capacity.high}`
  const hasNoUpperBound = window.high >= maxPeriodMs
  const [low, high] = [seconds(window.low, ''), seconds(window.high, '')]
  const times = hasNoUpperBound
    ? `at least ${low} s`
    : low === high
      ? `about ${low} s`
      : `${low} to ${high} s`
  const { text, hasWindow } = limiterKinds[kind]
  return `${text} of ${sizes}${hasWindow ? ' in' : ', full again after'} ${times}`
}
