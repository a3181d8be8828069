import { describe, expect, test } from 'vitest'
import {
  isReservedState,
  reservedState,
  withShorterState,
} from '../../../src/check/authorization/long-state.ts'
import { type Landing, page, redirect } from './landings.ts'

const state = reservedState()

describe('a long state is sent again with less than 128 characters', () => {
  test.each<[string, Landing, boolean]>([
    ['after `invalid_request`', redirect('?error=invalid_request'), true],
    ['after an error page', page(400), true],
    ['after a redirect without code and error', redirect('?state=a'), true],
    ['but not after another error', redirect('?error=access_denied'), false],
    ['but not after a code', redirect('?code=a'), false],
  ])('%s', (_, landing, isSentAgain) => {
    const changes = withShorterState(landing, { state, prompt: 'none' })
    expect(changes !== undefined).toBe(isSentAgain)
    if (!changes) return
    expect(changes).toMatchObject({ prompt: 'none' })
    expect(changes.state?.length).toBeLessThan(128)
    expect(isReservedState(changes.state ?? '')).toBe(true)
  })

  test('but a short state, or none, is not', () => {
    const refused = redirect('?error=invalid_request')
    expect(withShorterState(refused, { state: 'xyz' })).toBeUndefined()
    expect(withShorterState(refused, {})).toBeUndefined()
    const shorter = withShorterState(refused, { state }) ?? {}
    expect(withShorterState(refused, shorter)).toBeUndefined()
  })
})

test('the long state has more than 255 characters, and is new each time', () => {
  expect(state.length).toBeGreaterThan(255)
  expect(reservedState()).not.toBe(state)
})
