import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { absolute } from '../../../src/browser/browser-exchange.ts'
import { isAuthorizationResponse, parseDestination } from '../../../src/browser/landing.ts'
import { identityOf, problemsAt, timesOf } from '../../../src/event-hub/event.ts'
import { countEventsIn, hasMore, readPage } from '../../../src/event-hub/page.ts'
import { shownAddress, shownHeaders } from '../../../src/evidence/allow-list.ts'
import { HttpResponse } from '../../../src/http/response.ts'
import { retryAfterMs } from '../../../src/http/retry-after.ts'
import { bearerChallenges, challenges } from '../../../src/oauth/challenge.ts'
import { decodeJwt, verifySignature } from '../../../src/oauth/jwt.ts'
import { isSigningKey, keysOf } from '../../../src/oauth/key-set.ts'
import { spoilt, spoiltFile, tries } from './spoilt.ts'

// Whatever a target sends, a parser returns a value.

describe('responses', () => {
  const object = spoilt({ alg: 'RS256', kid: 'k', exp: 1, aud: ['a'] }).map((value) =>
    Buffer.from(JSON.stringify(value) ?? '').toString('base64url'),
  )
  const jwt = fc.oneof(
    fc.string(),
    fc.array(fc.oneof(fc.base64String(), object), { maxLength: 5 }).map((parts) => parts.join('.')),
    fc.tuple(object, object).map((parts) => `${parts.join('.')}.c2ln`),
  )
  const key = spoilt({
    kty: 'RSA',
    kid: 'k',
    n: 'AQAB',
    e: 'AQAB',
    use: 'sig',
    key_ops: ['verify'],
    x5c: ['a'],
  })

  test('a JWT, whatever the key', async () => {
    const property = fc.asyncProperty(jwt, key, async (compact, jwk) => {
      const token = decodeJwt(compact)
      const keys = keysOf(new HttpResponse(200, {}, JSON.stringify({ keys: [jwk] }) ?? ''))
      if (token) expect(await verifySignature(token, async () => keys?.[0])).toHaveProperty('valid')
    })
    await fc.assert(property, tries(500))
  })

  test('a key set', () => {
    fc.assert(
      fc.property(
        spoiltFile({
          keys: [
            { kty: 'RSA', kid: 'k', use: 'sig' },
            { kty: 'EC', key_ops: ['verify'] },
          ],
        }),
        (bytes) => {
          const keys = keysOf(new HttpResponse(200, {}, bytes.toString())) ?? []
          expect(keys.map(isSigningKey)).toHaveLength(keys.length)
        },
      ),
      tries(500),
    )
  })

  const header = fc.oneof(
    fc.string(),
    fc
      .array(
        fc.constantFrom('Bearer', ' ', 'realm', '=', '"', '\\', ',', 'error', 'invalid_token', '\u0000', 'ü'),
      )
      .map((parts) => parts.join('')),
  )
  test('WWW-Authenticate', () => {
    fc.assert(
      fc.property(header, (value) => {
        expect(() => challenges(value)).not.toThrow()
        expect(() => bearerChallenges(new HttpResponse(401, { 'www-authenticate': value }, ''))).not.toThrow()
      }),
      tries(1000),
    )
  })

  test('Retry-After', () => {
    const time = fc
      .tuple(
        fc.date({ noInvalidDate: true }).map((at) => at.toUTCString()),
        fc.nat({ max: 40 }),
      )
      .map(([text, at]) => fc.oneof(fc.constant(text), fc.constant(text.slice(at))))
      .chain((either) => either)
    const dates = fc.oneof(
      time,
      fc.constantFrom(
        'Sunday, 06-Nov-94 08:49:37 GMT',
        'Sun Nov  6 08:49:37 1994',
        'Xxx, 99 Xxx 9999 99:99:99 GMT',
      ),
    )
    const values = fc.oneof(header, dates, fc.bigInt().map(String))
    fc.assert(
      fc.property(values, fc.option(fc.oneof(header, dates)), (value, date) => {
        const waitMs = retryAfterMs(value, date ?? undefined)
        expect(waitMs === undefined || waitMs >= 0).toBe(true)
      }),
      tries(1000),
    )
  })

  const piece = fc.oneof(
    fc.string(),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.constantFrom(
      '//',
      '?',
      '#',
      '&',
      '=',
      '%',
      '%2',
      '%zz',
      ':',
      '@',
      '[',
      'code',
      'error',
      'app:',
      '\\',
      '\n',
    ),
  )
  const location = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
  test('a redirect', () => {
    fc.assert(
      fc.property(location, (value) => {
        const redirect = parseDestination(absolute(value, 'https://login.example.com/authorize?a=b'))
        expect(typeof isAuthorizationResponse(redirect)).toBe('boolean')
        expect(() => shownAddress(value)).not.toThrow()
      }),
      tries(1000),
    )
  })

  test('Set-Cookie and other headers, whose secrets are masked', () => {
    const secret = 'vY7kQ2mB9xW4tR6z'
    const names = fc.constantFrom(
      'set-cookie',
      'location',
      'www-authenticate',
      'authorization',
      'x-request-id',
    )
    const value = fc
      .array(fc.oneof(header, location, fc.constantFrom(secret, '; Path=/', '; HttpOnly', 'sid=')))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(names, value, fc.boolean(), (name, text, isList) => {
        const shown = shownHeaders({ [name]: isList ? [text, text] : text })
        expect(JSON.stringify(shown)).not.toContain(secret)
      }),
      tries(1000),
    )
  })

  test('a page of events', () => {
    const event = {
      id: '1',
      timestamp: '2026-01-01T00:00:00.000',
      type: 'T',
      version: '1',
      payload: { claims: {} },
    }
    const page = spoilt({ page: 0, pageSize: 10, total: 1, items: [event, event] })
    fc.assert(
      fc.property(page, (body) => {
        const read = readPage(body, { page: 0, pageSize: 10 })
        expect(typeof (read && hasMore(read))).not.toBe('string')
        expect(countEventsIn(body)).toBeGreaterThanOrEqual(0)
        const events = read?.events ?? []
        expect(events.map(identityOf)).toHaveLength(events.length)
        expect(timesOf(events).length).toBeLessThanOrEqual(events.length)
        expect(problemsAt(events, 'timestamp').length).toBeLessThanOrEqual(events.length)
      }),
      tries(500),
    )
  })
})
