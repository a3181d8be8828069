import { expect, test } from 'vitest'
import { EndpointCircuit, endpointOf } from '../../src/http/endpoint-circuit.ts'

/** A circuit after refusals, each of one endpoint and as often as given. */
function circuitAfter(
  ...refusals: readonly (readonly [
    endpoint: string,
    Parameters<EndpointCircuit['count']>[1],
    times: number,
  ])[]
): EndpointCircuit {
  const circuit = new EndpointCircuit()
  for (const [endpoint, refusal, times] of refusals)
    for (let each = 0; each < times; each += 1) circuit.count(endpoint, refusal)
  return circuit
}

test.each([
  ['timed-out', 3, 'did not answer'],
  ['throttled', 8, 'throttled requests'],
  ['unavailable', 8, 'returned 503'],
] as const)(
  'an endpoint that is %s %d times in a row receives no further request',
  (refusal, times, text) => {
    const before = circuitAfter(['GET /a', refusal, times - 1])
    expect([before.isOpen('GET /a'), before.refusals('GET /a')]).toEqual([false, times - 1])
    expect(() => before.require('GET /a')).not.toThrow()
    const circuit = circuitAfter(['GET /a', refusal, times])
    expect([circuit.isOpen('GET /a'), circuit.isOpen('GET /b')]).toEqual([true, false])
    expect(() => circuit.require('GET /b')).not.toThrow()
    expect(() => circuit.require('GET /a')).toThrow(
      expect.objectContaining({
        kind: refusal,
        message: `GET /a ${text} ${times} times in a row, so this run sends it no further request`,
      }),
    )
  },
)

test('a response that can be judged, or another refusal, begins a new count', () => {
  const judged = circuitAfter(
    ['GET /a', 'throttled', 7],
    ['GET /a', undefined, 1],
    ['GET /a', 'throttled', 7],
  )
  expect([judged.isOpen('GET /a'), judged.refusals('GET /a')]).toEqual([false, 7])
  judged.count('GET /a', undefined)
  judged.count('GET /b', undefined)
  expect(judged.state).toEqual([])
  const other = circuitAfter(['GET /a', 'throttled', 7], ['GET /a', 'unavailable', 1])
  expect([other.isOpen('GET /a'), other.refusals('GET /a')]).toEqual([false, 1])
  expect(circuitAfter().refusals('GET /a')).toBe(0)
})

test('the throttled requests of one open endpoint are known: of the one with the most', () => {
  expect(circuitAfter().throttledByOpen).toBe(0)
  const refusals = [
    ['GET /few', 'throttled', 7],
    ['GET /a', 'throttled', 9],
    ['GET /b', 'throttled', 8],
    ['GET /c', 'unavailable', 20],
  ] as const
  expect(circuitAfter(...refusals).throttledByOpen).toBe(9)
  expect(new EndpointCircuit(circuitAfter(...refusals).state).throttledByOpen).toBe(9)
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
