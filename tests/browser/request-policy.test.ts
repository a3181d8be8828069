import { describe, expect, test } from 'vitest'
import { isHttp, RequestPolicy } from '../../src/browser/request-policy.ts'

function policy(isComplete = false): RequestPolicy {
  const made = new RequestPolicy(['idp.example', 'idp.example:8443', '127.0.0.1:9000'], isComplete)
  made.redirectUris = ['not an address', 'https://idp.example/callback?a=b', 'partner.app:/done']
  return made
}

describe('a page', () => {
  test.each([
    ['https://idp.example/login?a=b#c', true],
    ['https://idp.example:443/login', true],
    ['https://idp.example:8443/login', true],
    ['https://idp.example:9443/login', false],
    ['https://sub.idp.example/login', false],
    ['https://other.example/', false],
    ['http://idp.example/login', false],
    ['http://127.0.0.1:9000/login', true],
    ['https://127.0.0.1:9000/login', true],
    ['http://127.0.0.1:9001/login', false],
    ['ws://idp.example/', false],
    ['ftp://idp.example/', false],
    ['file:///etc/passwd', false],
    ['javascript:alert(1)', false],
    ['about:blank', true],
    ['data:text/html,a', true],
    ['blob:https://idp.example/1', true],
    ['chrome-error://chromewebdata/', true],
    ['no address', false],
    ['', false],
  ])('may send a request to %s: %s', (url, allowed) => {
    expect(policy().allowsAddress(url)).toBe(allowed)
  })

  test.each([
    ['https://idp.example/callback', true],
    ['https://idp.example/callback?code=a#b', true],
    ['http://idp.example/callback', true],
    ['https://idp.example/callback/', false],
    ['https://idp.example/', false],
    ['https://idp.example:8443/callback', false],
    ['partner.app:/done?code=a', true],
    ['partner.app:/other', false],
    ['no address', false],
  ])('never sends a request to a redirect URI: %s is one: %s', (url, isRedirectUri) => {
    expect(policy().isRedirectUri(url)).toBe(isRedirectUri)
    if (isRedirectUri) expect(policy().allowsAddress(url)).toBe(false)
  })

  test('may send a request to every address of the hosts without redirect URIs', () => {
    const made = new RequestPolicy(['idp.example'], false)
    expect([made.isRedirectUri('https://idp.example/callback'), made.isRedirectUri('no address')]).toEqual([
      false,
      false,
    ])
    expect(made.allowsAddress('https://idp.example/callback')).toBe(true)
  })

  test.each(['Other', 'prefetch', 'Manifest', 'ping', 'CSPViolationReport', 'signedexchange', 'FedCM'])(
    'does without %s',
    (type) => {
      expect([policy().isUnneeded(type), policy(true).isUnneeded(type)]).toEqual([true, true])
      expect(policy(true).allowsRequest(type, 'https://idp.example/a')).toBe(false)
    },
  )

  test.each(['Image', 'font', 'Media', 'texttrack'])('loads %s only if it has to be complete', (type) => {
    expect([policy().isUnneeded(type), policy(true).isUnneeded(type)]).toEqual([true, false])
    expect([policy(), policy(true)].map((made) => made.allowsRequest(type, 'https://idp.example/a'))).toEqual(
      [false, true],
    )
  })

  test.each(['Document', 'script', 'XHR', 'stylesheet', 'fetch'])('loads %s from the hosts', (type) => {
    expect(policy().isUnneeded(type)).toBe(false)
    expect(policy().allowsRequest(type, 'https://idp.example/a')).toBe(true)
    expect(policy().allowsRequest(type, 'https://other.example/a')).toBe(false)
  })
})

test.each([
  ['http://a', true],
  ['https://a', true],
  ['httpss://a', false],
  ['app+http://a', false],
  ['about:blank', false],
])('%s is an address of HTTP: %s', (url, expected) => {
  expect(isHttp(url)).toBe(expected)
})
