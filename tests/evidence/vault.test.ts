import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Recorder } from '../../src/evidence/recorder.ts'
import { Vault } from '../../src/evidence/vault.ts'

const secret = `p ä+ss"w\\o&r=d/%!'()*~`

test('a known secret is scrubbed in plain text, in JSON, in a URL and in a form', () => {
  const vault = new Vault()
  vault.add(secret, undefined)
  const lower = (text: string) => text.replaceAll(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase())
  const encoded = encodeURIComponent(secret)
  const form = new URLSearchParams({ password: secret }).toString()
  const query = new URL('https://a/')
  query.searchParams.set('password', secret)
  for (const text of [
    secret,
    JSON.stringify({ a: secret }),
    encoded,
    lower(encoded),
    form,
    lower(form),
    query.search,
  ]) {
    const clean = vault.scrub(`before ${text} after`)
    expect(clean).toContain('<secret>')
    expect(clean).toMatch(/^before .* after$/)
    expect(decodeURIComponent(clean.replaceAll('+', ' '))).not.toContain('o&r')
  }
})

test('a secret inside another one is scrubbed completely, in any order of addition', () => {
  for (const order of [
    ['abcdef', 'abcdef-and-more'],
    ['abcdef-and-more', 'abcdef'],
  ]) {
    const vault = new Vault()
    vault.add(...order)
    expect(vault.scrub('x abcdef-and-more y abcdef z')).toBe('x <secret> y <secret> z')
  }
})

test('a secret that is added later is scrubbed from texts that were clean before', () => {
  const vault = new Vault()
  vault.add('abcdef')
  const text = 'one ghijkl, two mnopqr'
  expect(vault.scrub(text)).toBe(text)
  vault.add('ghijkl')
  expect(vault.scrub(text)).toBe('one <secret>, two mnopqr')
  vault.add('mnopqr')
  expect(vault.scrub(text)).toBe('one <secret>, two <secret>')
  expect(vault.scrub(text)).toBe('one <secret>, two <secret>')
})

test('all occurrences of a secret are scrubbed', () => {
  const vault = new Vault()
  vault.add('abcdef')
  expect(vault.scrub('abcdef')).toBe('<secret>')
  expect(vault.scrub('abcdef,abcdef')).toBe('<secret>,<secret>')
})

test('a secret inside a longer JSON text or form value is scrubbed alone', () => {
  const vault = new Vault()
  vault.add(secret)
  const form = new URLSearchParams({ a: `x ${secret} y` }).toString()
  expect(vault.scrub(JSON.stringify([`x ${secret} y`]))).toBe('["x <secret> y"]')
  expect(vault.scrub(form)).toBe('a=x+<secret>+y')
})

test('an encoded secret is scrubbed whatever the case of its octets', () => {
  const vault = new Vault()
  vault.add('Geheim/Ä Ö')
  expect(vault.scrub('Geheim%2F%C3%84%20%C3%96')).toBe('<secret>')
  expect(vault.scrub('Geheim%2f%c3%84%20%c3%96')).toBe('<secret>')
})

test('a secret is scrubbed in lower case, too, unless that may be an ordinary word', () => {
  const vault = new Vault()
  vault.add('X-V1StGXR8-Z5jdHi6BmyT', 'Password')
  expect(vault.scrub('x-v1stgxr8-z5jdhi6bmyt: Password')).toBe('<secret>: <secret>')
  expect(vault.scrub('your password')).toBe('your password')
})

test('values too short to be distinguished from words are ignored', () => {
  const vault = new Vault()
  vault.add('', 'short', undefined)
  expect(vault.scrub('short words')).toBe('short words')
})

test('half of a surrogate pair is accepted', () => {
  const vault = new Vault()
  vault.add('secret\ud800')
  expect(vault.scrub('a secret\ud800 b')).toBe('a <secret> b')
})

test('plain data is scrubbed in every string and member name, and keeps its type', () => {
  const vault = new Vault()
  vault.add('canary-1')
  const data = { a: ['canary-1', 1, null, true, undefined], 'x canary-1': { b: 'y canary-1' }, n: 0.5 }
  expect(vault.scrubAll(data)).toEqual({
    a: ['<secret>', 1, null, true, undefined],
    'x <secret>': { b: 'y <secret>' },
    n: 0.5,
  })
  expect(data.a[0]).toBe('canary-1')
})

test('no text contains a known secret', () => {
  const unit = fc.constantFrom('a', 'b', '%', '+', ' ', '"', '\\', 'ä')
  const one = fc.string({ unit, minLength: 6, maxLength: 12 })
  fc.assert(
    fc.property(
      fc.array(one, { minLength: 1, maxLength: 4 }),
      fc.array(fc.string({ unit })),
      (secrets, others) => {
        const vault = new Vault()
        vault.add(...secrets)
        const clean = vault.scrub([...others, ...secrets, ...others].join('|'))
        for (const known of secrets) expect(clean).not.toContain(known)
      },
    ),
  )
})

test('the recorder numbers exchanges and adds them to all collections', async () => {
  const recorder = new Recorder()
  const one = {
    sentAt: 0,
    durationMs: 0,
    by: 'http',
    request: { method: 'GET', url: '', headers: {} },
  } as const
  const [outer, inner]: [never[], never[]] = [[], []]
  recorder.record(one)
  await recorder.collectInto(outer, async () => {
    recorder.record(one)
    await recorder.collectInto(inner, async () => void recorder.record(one))
  })
  await expect(recorder.collectInto(outer, () => Promise.reject(new Error('x')))).rejects.toThrow('x')
  expect(recorder.record(one).number).toBe(4)
  expect(outer).toMatchObject([{ number: 2 }, { number: 3 }])
  expect(inner).toMatchObject([{ number: 3 }])
})

test('the copy of data that never change is kept until another secret is known', () => {
  const vault = new Vault()
  vault.add('secret-one')
  const data = { text: 'secret-one and secret-two' }
  const first = vault.scrubConstant(data)
  expect(first).toEqual({ text: '<secret> and secret-two' })
  expect(vault.scrubConstant(data)).toBe(first)
  vault.add('secret-two')
  expect(vault.scrubConstant(data)).toEqual({ text: '<secret> and <secret>' })
})
