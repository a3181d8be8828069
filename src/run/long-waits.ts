import type { SuiteCheck } from '../check/suites.ts'
import type { Target } from '../target/target.ts'
import { listText } from '../text/format.ts'

/**
 * The longest waits of checks, such as `up to 10 min for a code to expire (CODE_LIFETIME)`. Empty if no check has the
 * effect `slow`.
 * @param checks the checks that apply to the target
 */
export function longWaitsText(
  checks: readonly SuiteCheck[],
  { codeLifetime, longestLifetime }: Pick<Target, 'codeLifetime' | 'longestLifetime'>,
): string {
  const slow = checks.filter(({ effects }) => effects?.includes('slow'))
  const someWaitFor = (what: 'code' | 'access-token') => slow.some(({ waitsFor }) => waitsFor === what)
  const waits = [
    ...(someWaitFor('code') ? [`up to ${limitText(codeLifetime)} for a code to expire (CODE_LIFETIME)`] : []),
    ...(someWaitFor('access-token')
      ? [`up to ${limitText(longestLifetime)} for an access token to expire (LONGEST_LIFETIME)`]
      : []),
    ...(slow.some(({ waitsFor }) => waitsFor === undefined) ? ['the time that other checks wait'] : []),
  ]
  return listText(waits)
}

function limitText(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}
