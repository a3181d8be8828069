import { describe, expect, test } from 'vitest'
import { eventProblems, pageProblems } from '../../src/event-hub/schemas.ts'
import { item } from './events.ts'

const paths = (changes: Readonly<Record<string, unknown>>) => [
  ...new Set(eventProblems(item(changes)).map(({ path }) => path)),
]

describe('valid events', () => {
  test.each([
    ['as documented', {}],
    ['with all of its context', { sphere: 'a', subscriber: 'b', application: 'c', subscription: 'd' }],
    ['with null for a context it does not have', { subscription: null }],
    ['with the other payload', { payload: { claims: { email: 'a@example.com' } } }],
    ['with empty claims', { payload: { claims: {} } }],
    ['with both payloads', { payload: { claims: {}, changedClaims: [] } }],
    ['with neither payload', { payload: {} }],
    ['of an unknown type and version', { type: 'user.created', version: '7', payload: { claims: [1] } }],
    ['on a full second without a fraction', { timestamp: '2026-03-02T10:15:30' }],
    ['with unknown members', { more: 1 }],
    ['with spaces around a text', { id: ' a ', type: 'User changed' }],
    ['of version 1', { version: '1' }],
    ['of version 1.0', { version: '1.0' }],
  ])('%s', (_, changes) => {
    expect(eventProblems(item(changes))).toEqual([])
  })
})

describe('for invalid events, only the invalid member is reported', () => {
  test.each([
    ['id', { id: undefined }],
    ['id', { id: '' }],
    ['id', { id: ' \n' }],
    ['id', { id: 7 }],
    ['timestamp', { timestamp: '2026-03-02T10:15:30.123Z' }],
    ['timestamp', { timestamp: '2026-03-02T10:15:30.123+02:00' }],
    ['timestamp', { timestamp: 1772446530123 }],
    ['type', { type: undefined }],
    ['type', { type: ['ClaimValuesChanged'] }],
    ['type', { type: ' ' }],
    ['version', { version: 1 }],
    ['version', { version: ' ' }],
    ['version', { version: 1.0 }],
    ['payload', { payload: undefined }],
    ['payload', { payload: null }],
    ['payload', { payload: '{}' }],
    ['payload', { payload: [] }],
    ['payload/claims', { payload: { claims: ['email'] } }],
    ['payload/changedClaims', { payload: { changedClaims: 'email' } }],
    ['payload/changedClaims/1', { payload: { changedClaims: ['email', 1] } }],
    ['payload/changedClaims/0', { payload: { changedClaims: [' '] } }],
    ['sphere', { sphere: 7 }],
    ['subscription', { subscription: {} }],
  ])('%s in %j', (path, changes) => {
    expect(paths(changes)).toEqual([path])
  })
})

describe('pages', () => {
  const page = { page: 0, pageSize: 10, total: 1, items: [item()] }

  test('a valid page has no problems, whatever its unknown members and items', () => {
    expect(pageProblems(page)).toEqual([])
    expect(pageProblems({ ...page, more: true, items: [{}] })).toEqual([])
    expect(pageProblems({ ...page, total: 0, items: [] })).toEqual([])
  })

  test.each([
    ['', [page]],
    ['', null],
    ['page', { ...page, page: '0' }],
    ['page', { ...page, page: -1 }],
    ['pageSize', { ...page, pageSize: -1 }],
    ['total', { ...page, total: 1.5 }],
    ['total', { page: 0, pageSize: 10, items: [] }],
    ['items', { ...page, items: { first: item() } }],
    ['items/0', { ...page, items: ['evt-1'] }],
  ])('a problem at %j', (path, body) => {
    expect(pageProblems(body).map((problem) => problem.path)).toEqual([path])
  })
})
