import { describe, expect, test } from 'vitest'
import { parseDestination } from '../../../src/browser/landing.ts'
import {
  codeInQuery,
  codeOf,
  errorOf,
  isBareRedirect,
  isFinalPage,
  lostParameters,
  repeatsValue,
  stateProblem,
  tokenMembersIn,
  valuesOf,
} from '../../../src/check/authorization/landing-content.ts'
import { expectRedirect, requireContent } from '../../../src/check/authorization/landing-expectations.ts'
import {
  landingLabel,
  landingPhrase,
  landingSentence,
} from '../../../src/check/authorization/landing-text.ts'
import { Expect } from '../../../src/check/expect.ts'
import { type Landing, page, redirect } from './landings.ts'

const form: Landing = {
  kind: 'redirect',
  ...parseDestination('https://partner.invalid/callback'),
  form: new URLSearchParams('error=access_denied&state=c'),
  status: 200,
  redirects: [],
  interactive: false,
}

describe('a landing', () => {
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
      { ...redirect('?code=a'), status: 200 },
      'a redirect by a page with a code',
      'it was redirected with a code',
      'code',
    ],
    [{ kind: 'login-page' }, 'the login page', 'it ended at the login page', 'login-page'],
    [{ kind: 'consent-page' }, 'the consent page', 'it ended at the consent page', 'consent-page'],
    [page(403), 'a page with status 403', 'it ended at a page with status 403', 'page 403'],
  ])('has a noun phrase, a sentence and a label: %#', (landing, phrase, sentence, label) => {
    expect(landingPhrase(landing)).toBe(phrase)
    expect(landingSentence(landing)).toBe(sentence)
    expect(landingLabel(landing)).toBe(label)
  })

  test('has the parameters of its query, its fragment and its form', () => {
    const landing: Landing = {
      ...form,
      ...parseDestination('https://partner.invalid/?state=a&code=d#state=b&code=e'),
    }
    expect(valuesOf(landing, 'state')).toEqual(['a', 'b', 'c'])
    expect([codeOf(landing), errorOf(landing)]).toEqual(['d', 'access_denied'])
    expect(codeOf(redirect('?code='))).toBe('')
    expect(codeOf(redirect('?code=&code=e'))).toBe('e')
    expect(codeOf(redirect('?code=&error=access_denied'))).toBeUndefined()
    expect(codeOf(redirect('?code=#code=e&error=access_denied'))).toBe('e')
    expect(tokenMembersIn(redirect('#error=access_denied&access_token=&id_token=a'))).toEqual(['id_token'])
    expect(tokenMembersIn(redirect('#access_token='))).toEqual(['access_token'])
    expect([codeOf(form), tokenMembersIn(form)]).toEqual([undefined, []])
    expect([codeOf(page(200)), valuesOf(page(200), 'state')]).toEqual([undefined, []])
  })

  test.each<[Landing, string | undefined]>([
    [redirect('?code=a#code=b'), 'a'],
    [redirect('#code=a'), undefined],
    [redirect('?code='), undefined],
    [page(200), undefined],
  ])('has a code in its query, or not: %#', (landing, code) => {
    expect(codeInQuery(landing)).toBe(code)
  })

  test.each<[string, string, number]>([
    ['', '?code=a', 0],
    ['?tenant=a', '?tenant=a&code=b', 0],
    ['?tenant=a', '?code=b&tenant=%61', 0],
    ['?tenant=a&tenant=b', '?tenant=a&tenant=b&code=c', 0],
    ['?tenant=a&tenant=b', '?tenant=b&code=c', 1],
    ['?tenant=a&plan=b', '?tenant=b&code=c', 2],
    ['?tenant=a', '?code=b#tenant=a', 1],
  ])('lacks parameters of its redirect URI: %j in %j', (query, rest, lost) => {
    const landing = redirect(rest)
    expect(lostParameters(landing, `https://partner.invalid/callback${query}`)).toBe(lost)
  })

  test.each<[Landing, boolean]>([
    [redirect('?code=a&code=a'), true],
    [redirect('?code=a&code=b&code=a'), true],
    [redirect('?code=a&code=b'), false],
    [redirect('?code=a&state=a'), false],
    [page(200), false],
  ])('has a code more than once, or not: %#', (landing, repeats) => {
    expect(repeatsValue(landing, 'code')).toBe(repeats)
  })

  test.each<[Landing, string | undefined]>([
    [redirect('?code=a&state=sent'), undefined],
    [redirect('?code=a&state=sent#state=sent'), undefined],
    [redirect('?code=a'), 'no state'],
    [redirect('?code=a&state='), 'a different state'],
    [redirect('?code=a&state=other'), 'a different state'],
    [redirect('?code=a&state=sent&state=other'), 'the state and a different one'],
    [redirect('?code=a&state=sent#state=other'), 'the state and a different one'],
    [redirect('?code=a#state=other'), 'a different state'],
    [redirect('?code=a#state=sent'), 'the state outside the query'],
    [redirect('?error=a#state=sent'), 'the state outside the query'],
    [redirect('?error=a#error=a&state=sent'), 'the state outside the query'],
    [redirect('#code=a&state=sent'), undefined],
    [redirect('#error=a&state=sent'), undefined],
    [redirect('?state=sent#error=a'), undefined],
    [page(200), 'no state'],
  ])('has the sent state, or not: %#', (landing, problem) => {
    expect(stateProblem(landing, 'sent')).toBe(problem)
  })

  test('with neither code, token nor error depends on the requirement about error redirects', () => {
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

  test('violates the expectation of a redirect if it is a page', () => {
    const found = new Expect(() => undefined)
    const landing = redirect('?code=a')
    expect(expectRedirect(found, landing)).toBe(landing)
    expect(() => expectRedirect(found, page(403))).toThrow(
      'expected: a redirect to the redirect URI; actual: a page with status 403',
    )
  })

  test.each<[string, Landing, boolean]>([
    ['a page without controls and scripts', page(200), true],
    ['a page with buttons', page(200, true), false],
    ['a page with scripts', page(200, false, true), false],
    ['a page with links', { ...page(200), hasLinks: true }, false],
    ['an error page with buttons', page(400, true), true],
    ['an error page with links', { ...page(400), hasLinks: true }, true],
    ['an error page with scripts', page(400, false, true), true],
    ['the login page', { kind: 'login-page' }, false],
    ['a redirect', redirect('?error=a'), false],
  ] as const)('is final, or not: %s', (_, landing, expected) => {
    expect(isFinalPage(landing)).toBe(expected)
  })

  test('has no text of the target in its noun phrase', () => {
    expect(landingPhrase(redirect('?error=canary%20secret%40example'))).not.toContain('canary')
  })

  test('has no identifier of the target in its label', () => {
    expect(landingLabel(redirect('?error=canary-4f2a91c07'))).not.toContain('canary')
  })
})
