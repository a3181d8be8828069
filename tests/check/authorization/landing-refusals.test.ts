import { describe, expect, test } from 'vitest'
import { isRefusedLanding } from '../../../src/check/authorization/landing-content.ts'
import {
  expectErrorNamed,
  expectNothingIssued,
  expectRefused,
  requireError,
} from '../../../src/check/authorization/landing-expectations.ts'
import { Expect } from '../../../src/check/expect.ts'
import { Inconclusive, Violation } from '../../../src/check/verdict.ts'
import { type Landing, page, redirect } from './landings.ts'

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

describe('a refusal of an authorization request', () => {
  describe('issues neither a code nor a token', () => {
    test.each<[string, Landing, string]>([
      ['an error', redirect('?error=invalid_request'), 'holds'],
      ['an error in the fragment', redirect('#error=invalid_request'), 'holds'],
      ['a page', page(400), 'holds'],
      ['a page that waits for the user', page(200, true), 'holds'],
      ['a code', redirect('?code=a'), Violation.name],
      ['a code in the fragment', redirect('#code=a'), Violation.name],
      ['an ID token', redirect('#id_token=a'), Violation.name],
      ['an access token in the query', redirect('?access_token=a'), Violation.name],
      ['a token with an error', redirect('?error=invalid_request&access_token=a'), Violation.name],
      ['a code with an error', redirect('?error=invalid_request&code=a'), Violation.name],
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
  ])('may use a valid redirect URI: %s', (_, landing, outcome) => {
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
  ])('names its error: %s', (_, landing, refused, named) => {
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
  ])('cannot be judged by the name of its error if there is none: %s', (_, landing, dependsOn) => {
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
  ])('is recognised: %j', (landing, refused) => {
    expect(isRefusedLanding(landing)).toBe(refused)
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
      'a code with an error',
      (found) => expectRefused(found, redirect('?error=a&code=b')),
      'a redirect with an error has a code or token',
      ['AUTHZ-ERROR-WITHOUT-CODE'],
    ],
    [
      'a token with an error',
      (found) => expectRefused(found, redirect('?error=a&access_token=b')),
      'a redirect with an error has a code or token',
      ['AUTHZ-ERROR-WITHOUT-CODE'],
    ],
    [
      'a page without an error',
      () => requireError(page(400), 'AUTHZ-STATE-REQUIRED'),
      'no error to judge: the request ended at a page with status 400',
      ['AUTHZ-ERROR-REDIRECT'],
    ],
  ])('has a reason if it is inconclusive: %s', (_, judge, message, dependsOn) => {
    expect(() => judge(new Expect(() => undefined))).toThrow(
      expect.objectContaining({ name: 'Inconclusive', message, dependsOn }),
    )
  })

  test.each<[Landing, string]>([
    [{ kind: 'consent-page', afterCancel: true } as Landing, 'a page that asks for a decision'],
    [{ kind: 'login-page', afterCancel: true } as Landing, 'the login page'],
  ])('may need a second step to cancel, if the target then shows a page: %#', (landing, shown) => {
    expect(() => expectRefused(new Expect(() => undefined), landing)).toThrow(
      expect.objectContaining({
        message: `after the user cancelled, the target showed ${shown}, and waits for the user`,
        variables: ['LOGIN_RECIPE'],
        advice: 'if that page asks to confirm the cancellation, add that step to `cancel` in LOGIN_RECIPE',
      }),
    )
  })

  test('has a finding with the expected and the actual landing', () => {
    const found = new Expect(() => undefined)
    expectErrorNamed(found, redirect('?error=invalid_request'), 'invalid_scope', 'invalid_request')
    expect(() => expectNothingIssued(found, redirect('?code=a'))).toThrow(
      'expected: a refusal: neither a code nor a token; actual: a 302 redirect with a code',
    )
    expect(() => expectErrorNamed(found, page(400), 'invalid_scope', 'invalid_request')).toThrow(
      'expected: error=invalid_scope or error=invalid_request; actual: a page with status 400',
    )
    const seeOther = { ...redirect('?error=access_denied'), status: 303 }
    expect(() => expectErrorNamed(found, seeOther, 'invalid_scope')).toThrow(
      'expected: error=invalid_scope; actual: error=access_denied',
    )
  })
})
