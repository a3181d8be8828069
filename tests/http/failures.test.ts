import { expect, test } from 'vitest'
import { causeOf, type FailureKind, HttpFailure, whyUnreachable } from '../../src/http/failures.ts'

test.each<[FailureKind, string]>([
  ['throttled', 'throttled'],
  ['unavailable', 'environment'],
  ['timed-out', 'environment'],
  ['unreachable', 'environment'],
  ['budget-spent', 'configuration'],
  ['host-refused', 'configuration'],
])('a request that is %s makes a check inconclusive with the cause %s', (kind, cause) => {
  const failure = new HttpFailure(kind, 'a reason')
  expect(causeOf(failure)).toBe(cause)
  expect(failure).toMatchObject({
    name: 'HttpFailure',
    kind,
    message: 'a reason',
    variables: [],
    advice: null,
  })
  expect(failure.retryAfterMs).toBeUndefined()
  const details = { retryAfterMs: 7, variables: ['REQUEST_BUDGET'], advice: 'raise it' } as const
  expect(new HttpFailure(kind, 'a reason', details)).toMatchObject(details)
})

const refused = {
  what: 'refuses connections (ECONNREFUSED)',
  advice: 'correct the host and port, or start the server there',
}
const unknownName = (code: string) => ({
  what: `has a name that does not resolve (${code})`,
  advice: 'correct the host, or the DNS of this machine',
})
const other = { what: 'cannot be reached: the connection failed' }
test.each([
  ['ECONNREFUSED', false, refused],
  ['ENOTFOUND', false, unknownName('ENOTFOUND')],
  ['EAI_AGAIN', false, unknownName('EAI_AGAIN')],
  ['ECONNRESET', false, other],
  [undefined, false, other],
  // The proxy may have refused the connection, or may have the name.
  ['ECONNREFUSED', true, other],
  ['ENOTFOUND', true, other],
  ['EAI_AGAIN', true, other],
])('why a host cannot be reached after %s, with a proxy: %s', (code, hasProxy, expected) => {
  const failure = new HttpFailure('unreachable', 'the connection failed', code === undefined ? {} : { code })
  expect(whyUnreachable(failure, hasProxy)).toEqual(expected)
})
