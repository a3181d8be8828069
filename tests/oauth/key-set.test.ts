import { describe, expect, test, vi } from 'vitest'
import { HttpResponse } from '../../src/http/response.ts'
import { isSigningKey, KeySet, keysOf, publicValue, refetchIntervalMs } from '../../src/oauth/key-set.ts'

const key = (kid: string, n = 'n') => ({ kty: 'RSA', kid, n, e: 'AQAB' })

test('octets of zero before a value do not change a key, those inside do', () => {
  const [plain, one, two, inside] = ['AQID', 'AAECAw', 'AAABAgM', 'AQACAw'].map((n) =>
    publicValue(key('a', n)),
  )
  expect([one, two]).toEqual([plain, plain])
  expect(inside).not.toBe(plain)
})

describe('the cached key set', () => {
  test('is fetched once for concurrent callers', async () => {
    const fetch = vi.fn(async () => [key('a'), key('b')])
    const keys = new KeySet(fetch)
    const found = await Promise.all([keys.key('a'), keys.key('b'), keys.key('a')])
    expect(found.map((jwk) => jwk?.kid)).toEqual(['a', 'b', 'a'])
    await keys.key('b')
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  test('is fetched again for an unknown kid, but not within a minute', async () => {
    let now = 1_000_000
    let published = [key('a')]
    const fetch = vi.fn(async () => published)
    const keys = new KeySet(fetch, () => now)
    await keys.key('a')
    published = [key('a'), key('b')]
    expect((await keys.key('b'))?.kid).toBe('b')
    expect(fetch).toHaveBeenCalledTimes(2)
    expect(await keys.key('c')).toBeUndefined()
    now += refetchIntervalMs - 1
    expect(await keys.key('d')).toBeUndefined()
    expect(fetch).toHaveBeenCalledTimes(2)
    now += 1
    published = [key('d')]
    expect((await keys.key('d'))?.kid).toBe('d')
    expect(fetch).toHaveBeenCalledTimes(3)
  })

  test('is fetched once for many unknown kids, and all see the new keys', async () => {
    let published = [key('a')]
    const fetch = vi.fn(async () => published)
    const keys = new KeySet(fetch)
    await keys.key('a')
    published = [key('b'), key('c')]
    const found = await Promise.all([keys.key('b'), keys.key('c'), keys.key('b')])
    expect(found.map((jwk) => jwk?.kid)).toEqual(['b', 'c', 'b'])
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  test('returns no key if two different ones have the same kid', async () => {
    const keys = new KeySet(async () => [key('a', '1'), key('a', '2')])
    expect(await keys.key('a')).toBeUndefined()
  })

  test('returns a key that is listed several times with one value', async () => {
    const [first, second] = [
      { ...key('a', 'AQID'), alg: 'RS256' },
      { ...key('a', 'AAECAw'), alg: 'PS256' },
    ]
    const keys = new KeySet(async () => [first, second, first])
    expect(await keys.key('a')).toBe(first)
    const others = new KeySet(async () => [first, { ...second, e: 'Aw' }])
    expect(await others.key('a')).toBeUndefined()
  })

  test('returns the RSA signing key if keys of other types share its kid', async () => {
    const keys = new KeySet(async () => [
      { kty: 'EC', crv: 'P-256', kid: 'a', use: 'sig' },
      { ...key('a', 'encrypts'), use: 'enc' },
      key('a', 'signs'),
    ])
    expect((await keys.key('a'))?.n).toBe('signs')
    expect(await keys.keys('a')).toHaveLength(3)
  })

  test('returns a key of another type if only that has the kid', async () => {
    const keys = new KeySet(async () => [{ kty: 'EC', crv: 'P-256', kid: 'a' }])
    expect((await keys.key('a'))?.kty).toBe('EC')
  })

  test('a fetch that fails late does not undo a later one', async () => {
    let now = 0
    const late = Promise.withResolvers<ReturnType<typeof key>[]>()
    const fetch = vi
      .fn(async () => [key('c')])
      .mockResolvedValueOnce([key('a')])
      .mockReturnValueOnce(late.promise)
    // The clock advances by a minute between two reads.
    const keys = new KeySet(fetch, () => (now += refetchIntervalMs))
    await keys.key('a')
    const [first, second] = [keys.key('b'), keys.key('c')]
    expect((await second)?.kid).toBe('c')
    late.reject(new Error('down'))
    await expect(first).rejects.toThrow('down')
    expect((await keys.key('c'))?.kid).toBe('c')
    expect(fetch).toHaveBeenCalledTimes(3)
  })

  test('keeps a key that a later set lacks', async () => {
    const fetch = vi.fn(async () => [key('b')]).mockResolvedValueOnce([key('a')])
    const keys = new KeySet(fetch)
    for (const kid of ['a', 'b', 'a', 'b']) expect((await keys.key(kid))?.kid).toBe(kid)
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  test('compares kids exactly', async () => {
    const keys = new KeySet(async () => [key('a')])
    for (const kid of ['A', 'a ', '', 'undefined']) expect(await keys.key(kid)).toBeUndefined()
  })

  test('is fetched again after a first failure, and stays after a later one', async () => {
    const fetch = vi.fn(async () => [key('a')]).mockRejectedValueOnce(new Error('down'))
    const keys = new KeySet(fetch)
    await expect(keys.key('a')).rejects.toThrow('down')
    expect((await keys.key('a'))?.kid).toBe('a')
    fetch.mockRejectedValueOnce(new Error('down again'))
    await expect(keys.key('b')).rejects.toThrow('down again')
    expect((await keys.key('a'))?.kid).toBe('a')
    expect(fetch).toHaveBeenCalledTimes(3)
  })
})

describe('the current key', () => {
  const at = 1_000_000
  const openKeys = (...sets: ReturnType<typeof key>[][]) => {
    const clock = { now: at }
    const fetch = vi.fn(async () => sets.shift() ?? [])
    return { clock, fetch, keys: new KeySet(fetch, () => clock.now) }
  }

  test('is a known one', async () => {
    const { keys, fetch } = openKeys([key('a')])
    expect((await keys.currentKey('a'))?.kid).toBe('a')
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  test('is fetched again, and is undefined if the new key set lacks it', async () => {
    const { keys, fetch } = openKeys([key('a')], [key('a')])
    expect(await keys.currentKey('b')).toBeUndefined()
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  test('is uncertain until the key set can be fetched again', async () => {
    const { keys, clock, fetch } = openKeys([key('a')], [key('a')], [key('b')])
    await keys.key('x')
    clock.now += 1
    await expect(keys.currentKey('b')).rejects.toMatchObject({
      name: 'KeyUncertain',
      message: 'a kid is unknown, and the key set was fetched less than a minute ago',
    })
    expect(fetch).toHaveBeenCalledTimes(2)
    clock.now = at + refetchIntervalMs
    expect((await keys.currentKey('b'))?.kid).toBe('b')
  })

  test('is undefined if a key set that was requested after the use of its kid lacks it', async () => {
    const { keys, clock, fetch } = openKeys([key('a')], [key('a')])
    await keys.key('x')
    clock.now += 1
    expect(await keys.currentKey('b', at)).toBeUndefined()
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  test('may be in a key set that was fetched for another reason', async () => {
    const { keys, clock, fetch } = openKeys([key('a', '1')], [key('a', '1')])
    await keys.key('x')
    clock.now += 2
    keys.learn([key('a', '2'), key('b')], clock.now)
    expect((await keys.currentKey('b'))?.kid).toBe('b')
    expect(await keys.currentKey('c', at + 1)).toBeUndefined()
    // A known kid keeps its key.
    expect((await keys.currentKey('a'))?.n).toBe('1')
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  test('stays uncertain after a failed fetch', async () => {
    const { keys, clock, fetch } = openKeys([key('a')])
    await keys.key('a')
    fetch.mockRejectedValueOnce(new Error('down'))
    await expect(keys.key('b')).rejects.toThrow('down')
    clock.now += 1
    await expect(keys.currentKey('b')).rejects.toMatchObject({ name: 'KeyUncertain' })
  })

  test('is undefined if several different keys have its kid', async () => {
    const { keys, clock } = openKeys([key('a', '1'), key('a', '2')], [key('b')])
    await keys.key('x')
    clock.now += 1
    expect(await keys.currentKey('a')).toBeUndefined()
  })
})

test.each([
  [{ kty: 'RSA' }, true],
  [{ kty: 'EC' }, false],
  [{ kty: 'EC', use: 'sig' }, true],
  [{ kty: 'RSA', use: 'enc' }, false],
  [{ kty: 'EC', key_ops: ['deriveKey'] }, false],
  [{ kty: 'EC', key_ops: ['verify'] }, true],
  [{ kty: 'EC', key_ops: ['sign'] }, true],
  [{ kty: 'EC', alg: 'ES256' }, true],
  [{ kty: 'EC', alg: 'ECDH-ES' }, false],
  [{ kty: 'RSA', alg: 'RSA-OAEP-256' }, false],
  [{ kty: 'RSA', alg: 'RS256' }, true],
  // Not registered, but no name of key management either.
  [{ kty: 'RSA', alg: 'SHA256withRSA' }, true],
])('whether %j is meant for signatures: %s', (jwk, signs) => {
  expect(isSigningKey(jwk)).toBe(signs)
})

test.each<[number, string, object | undefined]>([
  [200, '{"keys":[{"kty":"RSA"},{}]}', [{ kty: 'RSA' }, {}]],
  // A member that is null counts as absent.
  [200, '{"keys":[{"kty":"RSA","use":null}]}', [{ kty: 'RSA' }]],
  [200, '{"keys":[]}', []],
  [200, '{"keys":{}}', undefined],
  [200, '{"keys":[null]}', undefined],
  [200, '{"keys":[[]]}', undefined],
  [200, '[]', undefined],
  [200, 'no JSON', undefined],
  [404, '{"keys":[]}', undefined],
])('keys of a response %i %s', (status, body, keys) => {
  expect(keysOf(new HttpResponse(status, {}, body))).toEqual(keys)
})
