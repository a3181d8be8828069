import { parseDestination } from '../../../src/browser/landing.ts'
import type { landingLabel } from '../../../src/check/authorization/landing-text.ts'

export type Landing = Parameters<typeof landingLabel>[0]

/** A redirect to the redirect URI with a query or fragment. */
export const redirect = (rest: string): Extract<Landing, { kind: 'redirect' }> => ({
  kind: 'redirect',
  ...parseDestination(`https://partner.invalid/callback${rest}`),
  status: 302,
  redirects: [],
  interactive: false,
})

/** A page of the target. */
export const page = (
  status: number,
  hasUnknownButtons = false,
  dynamic = false,
): Extract<Landing, { kind: 'page' }> => ({
  kind: 'page',
  status,
  mediaType: 'text/html',
  redirects: [],
  hasUnknownButtons,
  hasLinks: false,
  dynamic,
})

/** A redirect to the redirect URI with a query. */
export const redirectBack = (query: string, interactive = false) => ({
  ...redirect(`?${query}`),
  interactive,
})

/** A page of the target after redirects with these statuses. */
export const pageAfter = (status: number, ...redirects: readonly number[]) => ({ ...page(status), redirects })
