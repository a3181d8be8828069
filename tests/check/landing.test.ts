import { describe, expect, test } from 'vitest'
import { redirectTo } from '../../src/browser/landing.ts'
import { Expect } from '../../src/check/expect.ts'
import {
  codeOf,
  errorOf,
  expectErrorNamed,
  expectNothingIssued,
  expectRedirect,
  expectRefused,
  isBareRedirect,
  isFinalPage,
  isRefusedLanding,
  landingLabel,
  landingPhrase,
  landingSentence,
  requireContent,
  requireError,
  stateProblem,
  tokensOf,
  valuesOf,
} from '../../src/check/landing.ts'
import { Inconclusive, Violation } from '../../src/check/verdict.ts'

type Landing = Parameters<typeof landingLabel>[0]

const redirect = (rest: string): Landing => ({
  kind: 'redirect',
  ...redirectTo(`https://partner.invalid/callback${rest}`),
  status: 302,
  interactive: false,
})
const page = (status: number, hasUnknownButtons = false, dynamic = false): Landing => ({
  kind: 'page',
  status,
  mediaType: 'text/html',
  redirected: false,
  hasUnknownButtons,
  dynamic,
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
    ['a code beside an error', redirect('?error=invalid_request&code=a'), Violation.name],
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
  ['a page that waits for the user', page(200, true), 'Inconclusive', 'Violation'],
  ['the name of another cause', redirect('?error=access_denied'), 'Violation', 'Violation'],
  ['a name that is not documented', redirect('?error=odd'), 'Violation', 'Violation'],
  ['a page without a name', page(400), 'Inconclusive', 'Violation'],
  ['a redirect without a name', redirect('?state=a'), 'Inconclusive', 'Violation'],
  ['a redirect with an empty name', redirect('?error=&state=a'), 'Inconclusive', 'Violation'],
  ['an implicit grant without a code', redirect('#access_token=a'), 'Inconclusive', 'Violation'],
])('an error is named: %s', (_, landing, refused, named) => {
  const judge = (found: Expect) => {
    requireError(landing, 'AUTHZ-STATE-REQUIRED')
    expectErrorNamed(found, landing, 'invalid_scope')
  }
  expect(judged(judge)).toBe(refused)
  expect(judged((found) => expectErrorNamed(found, landing, 'invalid_scope'))).toBe(named)
})

test.each<[string, Landing, readonly string[]]>([
  ['a page', page(400), ['AUTHZ-ERROR-REDIRECT']],
  ['a redirect without an error', redirect('?state=a'), ['AUTHZ-ERROR-REDIRECT']],
  ['a code', redirect('?code=a'), ['AUTHZ-STATE-REQUIRED']],
  ['a token', redirect('#access_token=a'), ['AUTHZ-STATE-REQUIRED']],
  ['a login page', { kind: 'login-page' }, []],
  ['a consent page', { kind: 'consent-page' }, []],
  ['a page that waits for the user', page(200, true), []],
])('without an error there is no name to judge: %s', (_, landing, dependsOn) => {
  expect(() => requireError(landing, 'AUTHZ-STATE-REQUIRED')).toThrow(
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

const form: Landing = {
  kind: 'redirect',
  ...redirectTo('https://partner.invalid/callback'),
  form: new URLSearchParams('error=access_denied&state=c'),
  status: 200,
  interactive: false,
}

/** Each landing as a noun phrase, a sentence and a label. */
test.each<[Landing, string, string, string]>([
  [
    redirect('?error=access_denied'),
    'a 302 redirect with error=access_denied',
    'it was redirected with error=access_denied',
    'error access_denied',
  ],
  [
    redirect('?error=access_denied&code=a'),
    'a 302 redirect with error=access_denied and a code',
    'it was redirected with error=access_denied',
    'error access_denied',
  ],
  [redirect('?code=a'), 'a 302 redirect with a code', 'it was redirected with a code', 'code'],
  [
    redirect('#id_token=a&access_token=b&refresh_token=c'),
    'a 302 redirect with access_token and id_token and refresh_token',
    'it was redirected with neither code nor error',
    'neither code nor error',
  ],
  [
    redirect('?state=a'),
    'a 302 redirect with neither code nor error',
    'it was redirected with neither code nor error',
    'neither code nor error',
  ],
  [
    { ...form, status: 300 },
    'a 300 redirect with error=access_denied',
    'it was redirected with error=access_denied',
    'error access_denied',
  ],
  [
    form,
    'a form post with error=access_denied',
    'it was redirected with error=access_denied',
    'error access_denied',
  ],
  [
    { kind: 'redirect', ...redirectTo('app:cb?code=a'), status: 200, interactive: false },
    'a redirect by a page with a code',
    'it was redirected with a code',
    'code',
  ],
  [{ kind: 'login-page' }, 'the login page', 'it ended at the login page', 'login-page'],
  [{ kind: 'consent-page' }, 'the consent page', 'it ended at the consent page', 'consent-page'],
  [page(403), 'a page with status 403', 'it ended at a page with status 403', 'page 403'],
])('a landing is described: %#', (landing, phrase, sentence, label) => {
  expect(landingPhrase(landing)).toBe(phrase)
  expect(landingSentence(landing)).toBe(sentence)
  expect(landingLabel(landing)).toBe(label)
})

test('the parameters of a redirect are read from its query, its fragment and its form', () => {
  const landing: Landing = {
    ...form,
    ...redirectTo('https://partner.invalid/?state=a&code=d#state=b&code=e'),
  }
  expect(valuesOf(landing, 'state')).toEqual(['a', 'b', 'c'])
  expect([codeOf(landing), errorOf(landing)]).toEqual(['d', 'access_denied'])
  expect([codeOf(form), tokensOf(form)]).toEqual([undefined, []])
  expect([codeOf(page(200)), valuesOf(page(200), 'state')]).toEqual([undefined, []])
})

test.each<[Landing, string | undefined]>([
  [redirect('?code=a&state=sent'), undefined],
  [redirect('?code=a&state=sent#state=sent'), undefined],
  [redirect('?code=a'), 'no state'],
  [redirect('?code=a&state='), 'another state'],
  [redirect('?code=a&state=other'), 'another state'],
  [redirect('?code=a&state=sent&state=other'), 'the state and another one'],
  [page(200), 'no state'],
])('the state of a landing: %#', (landing, problem) => {
  expect(stateProblem(landing, 'sent')).toBe(problem)
})

test('a redirect with neither code, token nor error depends on the requirement about error redirects', () => {
  const bare = redirect('?state=a')
  expect(() => requireContent(bare)).toThrow(
    expect.objectContaining({
      name: 'Inconclusive',
      message: 'the request ended at a 302 redirect with neither code nor error',
      dependsOn: ['AUTHZ-ERROR-REDIRECT'],
    }),
  )
  expect(isBareRedirect(bare)).toBe(true)
  const others = ['?code=a', '?error=a', '#id_token=a'].map(redirect)
  for (const landing of [...others, page(200), { kind: 'login-page' } as const]) {
    expect(isBareRedirect(landing)).toBe(false)
    expect(() => requireContent(landing)).not.toThrow()
  }
})

test('a redirect is expected', () => {
  const found = new Expect(() => undefined)
  const landing = redirect('?code=a')
  expect(expectRedirect(found, landing)).toBe(landing)
  expect(() => expectRedirect(found, page(403))).toThrow(
    'expected a redirect to the redirect URI; actual: a page with status 403',
  )
})

test('a finding states the expected and the actual landing', () => {
  const found = new Expect(() => undefined)
  expectErrorNamed(found, redirect('?error=invalid_request'), 'invalid_scope', 'invalid_request')
  expect(() => expectNothingIssued(found, redirect('?code=a'))).toThrow(
    'expected a refusal: neither a code nor a token; actual: a 302 redirect with a code',
  )
  expect(() => expectErrorNamed(found, page(400), 'invalid_scope', 'invalid_request')).toThrow(
    'expected a 302 redirect to the redirect URI with error=invalid_scope or error=invalid_request; actual: a page with status 400',
  )
})

test.each<[string, (found: Expect) => void, string, readonly string[]]>([
  [
    'the login page',
    (found) => expectNothingIssued(found, { kind: 'login-page' }),
    'the request ended at the login page, which waits for the user',
    [],
  ],
  [
    'a page that waits for the user',
    (found) => expectRefused(found, page(200, true)),
    'the request ended at a page with status 200, which waits for the user',
    [],
  ],
  [
    'a code beside an error',
    (found) => expectRefused(found, redirect('?error=a&code=b')),
    'an error has a code or token beside it',
    ['AUTHZ-ERROR-WITHOUT-CODE'],
  ],
  [
    'a token beside an error',
    (found) => expectRefused(found, redirect('?error=a&access_token=b')),
    'an error has a code or token beside it',
    ['AUTHZ-ERROR-WITHOUT-CODE'],
  ],
  [
    'a page without an error',
    () => requireError(page(400), 'AUTHZ-STATE-REQUIRED'),
    'no error to judge: the request ended at a page with status 400',
    ['AUTHZ-ERROR-REDIRECT'],
  ],
])('an inconclusive refusal has a reason: %s', (_, judge, message, dependsOn) => {
  expect(() => judge(new Expect(() => undefined))).toThrow(
    expect.objectContaining({ name: 'Inconclusive', message, dependsOn }),
  )
})

test.each<[string, Landing, boolean]>([
  ['a page without controls and scripts', page(200), true],
  ['a page with buttons', page(200, true), false],
  ['a page with scripts', page(200, false, true), false],
  ['an error page with buttons', page(400, true), true],
  ['an error page with scripts', page(400, false, true), true],
  ['the login page', { kind: 'login-page' }, false],
  ['a redirect', redirect('?error=a'), false],
] as const)('whether %s is final', (_, landing, expected) => {
  expect(isFinalPage(landing)).toBe(expected)
})

test('an ending contains no text of the target', () => {
  expect(landingPhrase(redirect('?error=canary%20secret%40example'))).not.toContain('canary')
})

test('an outcome contains no identifier of the target', () => {
  expect(landingLabel(redirect('?error=canary-4f2a91c07'))).not.toContain('canary')
})
