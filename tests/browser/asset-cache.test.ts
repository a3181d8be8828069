import { expect, test } from 'vitest'
import { AssetCache } from '../../src/browser/asset-cache.ts'

const script = (url = 'https://login.example.com/app.js', changes = {}) => ({
  resourceType: 'Script',
  request: { url, method: 'GET', headers: {}, ...changes },
})
const response = (headers: Readonly<Record<string, string>> = {}, status = 200) => ({
  status,
  headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
})

test('a cached asset is the response to the same request, and to no other', () => {
  const cache = new AssetCache()
  const asset = { headers: [], body: 'YQ==' }
  cache.keep(script(), asset)
  expect(cache.find(script())).toBe(asset)
  expect(cache.find(script('https://login.example.com/app.js?v=2'))).toBeUndefined()
  expect(cache.find(script(undefined, { method: 'POST' }))).toBeUndefined()
  expect(cache.find(script(undefined, { headers: { Origin: 'https://other.example' } }))).toBeUndefined()
})

test.each([
  ['a script', script(), response()],
  ['a style sheet', { ...script(), resourceType: 'Stylesheet' }, response()],
  ['one with a version in its address', script('https://a.example/app.js?v=1.2&build=77'), response()],
  ['one that varies with its encoding', script(), response({ Vary: 'Accept-Encoding, Origin' })],
  ['one that has to be revalidated', script(), response({ 'Cache-Control': 'no-cache' })],
])('%s may be kept', (_, request, answer) => {
  expect(new AssetCache().admits({ ...request, ...answer })).toBe(true)
})

test.each([
  ['a document', { ...script(), resourceType: 'Document' }, response()],
  ['an XHR', { ...script(), resourceType: 'XHR' }, response()],
  ['a fetch', { ...script(), resourceType: 'Fetch' }, response()],
  ['a POST', script(undefined, { method: 'POST' }), response()],
  ['an error', script(), response({}, 404)],
  ['what must not be stored', script(), response({ 'cache-control': 'private, No-Store' })],
  ['what varies with cookies', script(), response({ Vary: 'Accept-Encoding', vary: 'Cookie' })],
  ['what varies with everything', script(), response({ Vary: '*' })],
  ['what sets a cookie', script(), response({ 'Set-Cookie': 'a=b' })],
  ['an address with a password', script('https://me:pw@a.example/app.js'), response()],
  ['an address with a session', script('https://a.example/app.js?v=1&session_id=8'), response()],
  ['an address with a state', script('https://a.example/app.js?state=8'), response()],
])('%s is not kept', (_, request, answer) => {
  expect(new AssetCache().admits({ ...request, ...answer })).toBe(false)
})

test('a run keeps no more than its bound', () => {
  const cache = new AssetCache()
  cache.keep(script('https://a.example/1.js'), { headers: [], body: 'a'.repeat(63 * 1024 * 1024) })
  cache.keep(script('https://a.example/2.js'), { headers: [], body: 'a'.repeat(2 * 1024 * 1024) })
  expect(cache.find(script('https://a.example/1.js'))).toBeDefined()
  expect(cache.find(script('https://a.example/2.js'))).toBeUndefined()
})
