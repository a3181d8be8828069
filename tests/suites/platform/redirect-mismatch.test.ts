import { expect, test } from 'vitest'
import { Expect } from '../../../src/check/expect.ts'
import { Violation } from '../../../src/check/verdict.ts'
import { expectMismatchStatus, type Mismatch } from '../../../suites/platform/redirect-mismatch.ts'
import { pageAfter, redirect } from '../../check/authorization/landings.ts'

const back = (status: number, ...redirects: readonly number[]) => ({
  ...redirect('?error=redirect_uri_mismatch'),
  status,
  redirects,
})

/** The finding about a refusal with an unregistered redirect URI; undefined if its status is documented. */
function finding(landing: Mismatch['landing']): string | undefined {
  try {
    expectMismatchStatus(new Expect(() => undefined), { landing, how: 'with a different host' })
    return undefined
  } catch (error) {
    if (error instanceof Violation) return error.finding.actual
    throw error
  }
}

test.each<[string, Mismatch['landing']]>([
  ['a page with status 400', pageAfter(400)],
  ['a page with status 200 after a 302', pageAfter(200, 302)],
  ['a page with status 404 after a 307 and a 302', pageAfter(404, 307, 302)],
  ['a page with status 404 after a 302 and a 303', pageAfter(404, 302, 303)],
  ['a page with status 400 after a 303', pageAfter(400, 303)],
  ['a 302 to the application', back(302)],
  ['a 302 to the application after a 307', back(302, 307)],
  ['a 303 to the application after a 302', back(303, 302)],
  ['a script of a page with status 400', back(400)],
])('%s is a documented refusal of a redirect URI', (_, landing) => {
  expect(finding(landing)).toBeUndefined()
})

const toPage = (status: number) => `it ended at a page with status ${status}`
const toApplication = 'it was redirected with error=redirect_uri_mismatch'

test.each<[Mismatch['landing'], string]>([
  [pageAfter(200), `${toPage(200)} (status 200)`],
  [pageAfter(302), `${toPage(302)} (status 302)`],
  [pageAfter(404, 303), `${toPage(404)} (status 303, then 404)`],
  [pageAfter(200, 301, 307, 308), `${toPage(200)} (status 301, then 307, then 308, then 200)`],
  [back(303), `${toApplication} (status 303)`],
  [back(303, 307), `${toApplication} (status 307, then 303)`],
  [back(200), `${toApplication} (status 200)`],
])('a refusal of a redirect URI with another status is a violation: %#', (landing, actual) => {
  expect(finding(landing)).toBe(actual)
})
