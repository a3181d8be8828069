import { describe, expect, test } from 'vitest'
import { redirectTo } from '../../src/browser/landing.ts'
import { Expect } from '../../src/check/expect.ts'
import {
  expectErrorNamed,
  expectNothingIssued,
  expectRefused,
  expectRefusedAs,
  isRefusedLanding,
  landingLabel,
  landingPhrase,
} from '../../src/check/landing.ts'
import { Inconclusive, Violation } from '../../src/check/verdict.ts'

type Landing = Parameters<typeof landingLabel>[0]

const redirect = (rest: string): Landing => ({
  kind: 'redirect',
  ...redirectTo(`https://partner.invalid/callback${rest}`),
  status: 302,
  interactive: false,
})
const page = (status: number, asks = false): Landing => ({
  kind: 'page',
  status,
  mediaType: 'text/html',
  redirected: false,
  asks,
})

/** The result of an expectation: `holds`, with notes, or the error it threw. */
function judged(judge: (expect: Expect) => void): string {
  const notes: string[] = []
  const found = new Expect((text) => notes.push(text))
  try {
    judge(found)
  } catch (error) {
    return (error as Error).name
  }
  return found.count === 0 ? 'nothing' : notes.length > 0 ? 'holds, with a note' : 'holds'
}

describe('nothing issued', () => {
  test.each<[string, Landing, string]>([
    ['an error', redirect('?error=invalid_request'), 'holds'],
    ['an error in the fragment', redirect('#error=invalid_request'), 'holds'],
    ['a page', page(400), 'holds'],
    ['a page that waits for the user', page(200, true), 'holds'],
    ['a code', redirect('?code=a'), Violation.name],
    ['a code in the fragment', redirect('#code=a'), Violation.name],
    ['an ID token', redirect('#id_token=a'), Violation.name],
    ['an access token in the query', redirect('?access_token=a'), Violation.name],
    ['a token beside an error', redirect('?error=invalid_request&access_token=a'), Violation.name],
    [
      'a code beside an error, which another check judges',
      redirect('?error=invalid_request&code=a'),
      Inconclusive.name,
    ],
    ['a login page', { kind: 'login-page' }, Inconclusive.name],
    ['a consent page', { kind: 'consent-page' }, Inconclusive.name],
  ])('%s', (_, landing, outcome) => {
    expect(judged((found) => expectNothingIssued(found, landing))).toBe(outcome)
  })
})

test.each<[string, Landing, string]>([
  ['an error', redirect('?error=invalid_request'), 'holds'],
  ['a page', page(200), 'holds'],
  ['a page with status 400 and buttons', page(400, true), 'holds'],
  ['a page that waits for the user', page(200, true), Inconclusive.name],
  ['a login page', { kind: 'login-page' }, Inconclusive.name],
  ['a code', redirect('?code=a'), Violation.name],
])('a refusal that has a redirect URI to go to: %s', (_, landing, outcome) => {
  expect(judged((found) => expectRefused(found, landing))).toBe(outcome)
})

test.each<[string, Landing, string, string]>([
  ['the documented name', redirect('?error=invalid_scope'), 'holds', 'holds'],
  ['the name of another cause', redirect('?error=access_denied'), 'Violation', 'Violation'],
  ['a name that is not documented', redirect('?error=odd'), 'Violation', 'Violation'],
  ['a page without a name', page(400), 'Inconclusive', 'Violation'],
  ['a redirect without a name', redirect('?state=a'), 'Inconclusive', 'Violation'],
  ['a redirect with an empty name', redirect('?error=&state=a'), 'Inconclusive', 'Violation'],
  ['an implicit grant without a code', redirect('#access_token=a'), 'Inconclusive', 'Violation'],
])('an error is named: %s', (_, landing, refused, named) => {
  expect(judged((found) => expectRefusedAs(found, landing, 'AUTHZ-STATE-REQUIRED', 'invalid_scope'))).toBe(
    refused,
  )
  expect(judged((found) => expectErrorNamed(found, landing, 'invalid_scope'))).toBe(named)
})

test.each<[string, Landing, readonly string[]]>([
  ['a page', page(400), ['AUTHZ-ERROR-REDIRECT']],
  ['a redirect without an error', redirect('?state=a'), ['AUTHZ-ERROR-REDIRECT']],
  ['a code', redirect('?code=a'), ['AUTHZ-STATE-REQUIRED']],
  ['a token', redirect('#access_token=a'), ['AUTHZ-STATE-REQUIRED']],
  ['a login page', { kind: 'login-page' }, []],
  ['a page that waits for the user', page(200, true), []],
])('without an error there is no name to judge: %s', (_, landing, dependsOn) => {
  const found = new Expect(() => undefined)
  expect(() => expectRefusedAs(found, landing, 'AUTHZ-STATE-REQUIRED', 'invalid_scope')).toThrow(
    expect.objectContaining({ name: 'Inconclusive', dependsOn }),
  )
})

test.each<[Landing, boolean]>([
  [page(200), true],
  [page(403), true],
  [page(400, true), true],
  [page(200, true), false],
  [{ kind: 'login-page' }, false],
  [{ kind: 'consent-page' }, false],
  [redirect('?error=a'), true],
  [redirect('?error=a&code=b'), true],
  [redirect('?state=a'), true],
  [redirect('?code=a'), false],
  [redirect('#id_token=a'), false],
])('a refusal: %j', (landing, refused) => {
  expect(isRefusedLanding(landing)).toBe(refused)
})

test.each<[Landing, string]>([
  [redirect('?error=access_denied'), 'a 302 redirect with error=access_denied'],
  [redirect('?error=access_denied&code=a'), 'a 302 redirect with error=access_denied and a code'],
  [redirect('#id_token=a'), 'a 302 redirect with id_token'],
  [redirect('?state=a'), 'a 302 redirect with neither code nor error'],
  [{ kind: 'consent-page' }, 'the consent page'],
  [page(403), 'a page with status 403'],
])('an ending as a noun phrase', (landing, words) => {
  expect(landingPhrase(landing)).toBe(words)
})

test('an ending contains no text of the target', () => {
  expect(landingPhrase(redirect('?error=canary%20secret%40example'))).not.toContain('canary')
})

test.each<[Landing, string]>([
  [redirect('?code=a&state=b'), 'code'],
  [redirect('?error=login_required'), 'error login_required'],
  [redirect('?state=b'), 'neither code nor error'],
  [page(403), 'page 403'],
  [{ kind: 'login-page' }, 'login-page'],
])('an outcome in a word', (landing, word) => {
  expect(landingLabel(landing)).toBe(word)
})

test('an outcome contains no identifier of the target', () => {
  expect(landingLabel(redirect('?error=canary-4f2a91c07'))).not.toContain('canary')
})
