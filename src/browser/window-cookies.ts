import type { Cookie } from 'playwright'
import { loadUndici } from '../http/transport.ts'
import { type HeaderEntry, headerOf } from './headers.ts'

/** Longer than a run, in seconds: a cookie with this lifetime is as good as one with a longer lifetime. */
const longLifetime = 6 * 3600

/** The Cookie header, with the cookies of longer paths first (RFC 6265, 5.4); absent without cookies. */
export function cookieHeader(cookies: readonly Cookie[]): [string, string][] {
  const value = cookies
    .filter(({ partitionKey }) => partitionKey === undefined)
    .toSorted((a, b) => b.path.length - a.path.length)
    .map((cookie) => (cookie.name === '' ? cookie.value : `${cookie.name}=${cookie.value}`))
    .join('; ')
  // Node writes each character as one byte, and Chromium stores UTF-8.
  return value === '' ? [] : [['Cookie', Buffer.from(value).toString('latin1')]]
}

/** Whether the browser has to store or delete a cookie of a response; not for one that it has, unless that soon expires. */
export function changesCookies(headers: readonly HeaderEntry[], cookies: readonly Cookie[]): boolean {
  const { parseCookie } = loadUndici()
  return headers
    .filter(({ name }) => name.toLowerCase() === 'set-cookie')
    .some(({ value }) => {
      const set = parseCookie(value)
      const known = cookies.find(
        ({ name, path }) => set !== null && name === set.name && path === (set.path ?? path),
      )
      return (
        known === undefined ||
        set === null ||
        known.value !== set.value ||
        known.httpOnly !== (set.httpOnly ?? false) ||
        known.secure !== (set.secure ?? false) ||
        (set.sameSite !== undefined && known.sameSite !== set.sameSite) ||
        set.domain !== undefined ||
        set.path === undefined ||
        !isLong(known.expires - Date.now() / 1000, known.expires === -1) ||
        !isLong(lifetimeOf(set), set.maxAge === undefined && set.expires === undefined)
      )
    })
}

function isLong(seconds: number, isSession: boolean): boolean {
  return isSession || seconds >= longLifetime
}

function lifetimeOf({
  maxAge,
  expires,
}: {
  readonly maxAge?: number
  readonly expires?: Date | number
}): number {
  return maxAge ?? (Number(expires) - Date.now()) / 1000
}

/** Whether a response deletes all cookies of the window (W3C Clear Site Data, 3.1). */
export function clearsCookies(headers: readonly HeaderEntry[]): boolean {
  return /"(?:cookies|\*)"/.test(headerOf(headers, 'clear-site-data') ?? '')
}
