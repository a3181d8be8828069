import { expect, test } from 'vitest'
import { EndpointCircuit, endpointOf } from '../../src/http/endpoint-circuit.ts'

/** A circuit after consecutive failures of endpoints. */
function circuitAfter(
  ...failures: readonly (readonly [
    endpoint: string,
    Parameters<EndpointCircuit['recordFailure']>[1],
    times: number,
  ])[]
): EndpointCircuit {
  const circuit = new EndpointCircuit()
  for (const [endpoint, failure, times] of failures)
    for (let each = 0; each < times; each += 1) circuit.recordFailure(endpoint, failure)
  return circuit
}

test.each([
  ['timed-out', 3, 'did not respond'],
  ['throttled', 8, 'throttled requests'],
  ['unavailable', 8, 'returned 502, 503 or 504'],
] as const)(
  'an endpoint that is %s %d times in a row receives no further request',
  (failure, times, text) => {
    const before = circuitAfter(['GET /a', failure, times - 1])
    expect([before.isSuspended('GET /a'), before.failures('GET /a')]).toEqual([false, times - 1])
    expect(() => before.requireNotSuspended('GET /a')).not.toThrow()
    const circuit = circuitAfter(['GET /a', failure, times])
    expect([circuit.isSuspended('GET /a'), circuit.isSuspended('GET /b')]).toEqual([true, false])
    expect(() => circuit.requireNotSuspended('GET /b')).not.toThrow()
    expect(() => circuit.requireNotSuspended('GET /a')).toThrow(
      expect.objectContaining({
        kind: failure,
        message: `GET /a ${text} ${times} times in a row, so this run sends it no further request`,
      }),
    )
  },
)

test('another response, or another kind of failure, begins a new count', () => {
  const responded = circuitAfter(['GET /a', 'throttled', 7])
  responded.recordResponse('GET /a')
  for (let each = 0; each < 7; each += 1) responded.recordFailure('GET /a', 'throttled')
  expect([responded.isSuspended('GET /a'), responded.failures('GET /a')]).toEqual([false, 7])
  responded.recordResponse('GET /a')
  responded.recordResponse('GET /b')
  expect([responded.failures('GET /a'), responded.failures('GET /b')]).toEqual([0, 0])
  const other = circuitAfter(['GET /a', 'throttled', 7], ['GET /a', 'unavailable', 1])
  expect([other.isSuspended('GET /a'), other.failures('GET /a')]).toEqual([false, 1])
  expect(circuitAfter().failures('GET /a')).toBe(0)
})

test('the throttled requests of one suspended endpoint are known: of the one with the most', () => {
  expect(circuitAfter().throttledByWorstSuspended).toBe(0)
  const failures = [
    ['GET /few', 'throttled', 7],
    ['GET /a', 'throttled', 9],
    ['GET /b', 'throttled', 8],
    ['GET /c', 'unavailable', 20],
  ] as const
  expect(circuitAfter(...failures).throttledByWorstSuspended).toBe(9)
})

test.each([
  ['https://idp.example.com//css/x?a=b#c', 'GET https://idp.example.com//css/x'],
  ['https://idp.example.com//', 'GET https://idp.example.com//'],
  ['https://idp.example.com/#a', 'GET https://idp.example.com/'],
])('the endpoint of %s is %s', (url, endpoint) => {
  const address = new URL(url)
  expect(endpointOf({ method: 'GET', url: address })).toBe(endpoint)
  expect(address.href).toBe(url)
})
