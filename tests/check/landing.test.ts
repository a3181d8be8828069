import { describe, expect, test } from 'vitest'
import { redirectTo } from '../../src/browser/landing.ts'
import { Expect } from '../../src/check/expect.ts'
import {
  expectErrorNamed,
  expectNothingIssued,
  expectRefused,
  expectRefusedAnywhere,
  outcomeOf,
} from '../../src/check/landing.ts'
import { Inconclusive, Violation } from '../../src/check/verdict.ts'

type Landing = Parameters<typeof outcomeOf>[0]

const redirect = (rest: string): Landing => ({
  kind: 'redirect',
  ...redirectTo(`https://partner.invalid/callback${rest}`),
  status: 302,
  interactive: false,
})
const page = (status: number): Landing => ({
  kind: 'page',
  status,
  mediaType: 'text/html',
  redirected: false,
  asks: false,
})

/** What an expectation came to: `holds`, with notes, or the error it threw. */
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

test.each<[string, Landing, string, string, string]>([
  ['the documented name', redirect('?error=invalid_scope'), 'holds', 'holds', 'holds'],
  ['the name of another cause', redirect('?error=access_denied'), 'Violation', 'Violation', 'Violation'],
  [
    'a name that is not documented',
    redirect('?error=odd'),
    'holds, with a note',
    'holds, with a note',
    'holds, with a note',
  ],
  ['a page without a name', page(400), 'holds, with a note', 'holds', 'Violation'],
  ['a redirect without a name', redirect('?state=a'), 'Inconclusive', 'holds', 'Violation'],
  ['a redirect with an empty name', redirect('?error=&state=a'), 'Inconclusive', 'holds', 'Violation'],
  ['an implicit grant without a code', redirect('#access_token=a'), 'Violation', 'Violation', 'Violation'],
])('an error is named: %s', (_, landing, refused, anywhere, named) => {
  expect(judged((found) => expectRefused(found, landing, 'invalid_scope'))).toBe(refused)
  expect(judged((found) => expectRefusedAnywhere(found, landing, 'invalid_scope'))).toBe(anywhere)
  expect(judged((found) => expectErrorNamed(found, landing, 'invalid_scope'))).toBe(named)
})

test.each<[Landing, string]>([
  [redirect('?code=a&state=b'), 'code'],
  [redirect('?error=login_required'), 'error login_required'],
  [redirect('?state=b'), 'neither code nor error'],
  [page(403), 'page 403'],
  [{ kind: 'login-page' }, 'login-page'],
])('an outcome in a word', (landing, word) => {
  expect(outcomeOf(landing)).toBe(word)
})

test('an outcome contains no identifier of the target', () => {
  expect(outcomeOf(redirect('?error=canary-4f2a91c07'))).not.toContain('canary')
})
