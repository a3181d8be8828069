import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CurlRequest, curlCommand } from '../../src/evidence/curl.ts'
import { site } from '../http/site.ts'

const run = promisify(execFile)
const hasCurl = spawnSync('curl', ['--version']).status === 0
const odd = `a b&c=d+e%20"f"$HOME\`id\`\\'!ä`

function request(
  path: string,
  rest: Partial<CurlRequest> = {},
  origin = 'https://login.example.com',
): CurlRequest {
  return { method: 'GET', url: new URL(path, origin), headers: [], ...rest }
}

describe('a curl command', () => {
  test.each<[CurlRequest, string]>([
    [
      request('/.well-known/openid-configuration', { headers: [['Accept', 'application/json']] }),
      'curl --include --header "Accept: application/json" "https://login.example.com/.well-known/openid-configuration"',
    ],
    [
      request('/events/search?from=2026-03-02T00:00:00%2B02:00&page=0', {
        headers: [
          ['X-Client-Id', 'a'],
          ['X-Client-Secret', 'b'],
        ],
      }),
      'curl --include --header "X-Client-Id: $PARTNER_CLIENT_ID" --header "X-Client-Secret: $PARTNER_CLIENT_SECRET" --get --data-urlencode "from=2026-03-02T00:00:00+02:00" --data-urlencode "page=0" "https://login.example.com/events/search"',
    ],
    [
      request('/token', {
        method: 'POST',
        headers: [
          ['Authorization', 'Basic YTpi'],
          ['Content-Type', 'application/x-www-form-urlencoded'],
        ],
        form: [
          ['grant_type', 'authorization_code'],
          ['code', 'c'],
          ['code', 'd'],
        ],
      }),
      'curl --include --request POST --user "$CLIENT_ID:$CLIENT_SECRET" --data-urlencode "grant_type=authorization_code" --data-urlencode "code=$CODE" --data-urlencode "code=$CODE" "https://login.example.com/token"',
    ],
    [
      request('/userinfo', { headers: [['Authorization', 'Bearer secret']] }),
      'curl --include --header "Authorization: Bearer $ACCESS_TOKEN" "https://login.example.com/userinfo"',
    ],
    [
      request('/interaction/V1StGXR8_Z5jdHi6B-myT/login', { headers: [['Cookie', 'session=secret']] }),
      'curl --include --header "Cookie: $COOKIE" --globoff "https://login.example.com/interaction/$PATH_SEGMENT_2/login"',
    ],
    [
      request('/subscriptions/1f0c9a1e-77aa-4d10-9b1e-1a2b3c4d5e6f', {
        method: 'PATCH',
        json: {
          secret: 'very secret',
          target_url: 'https://x.example',
          event_filters: ['user.deleted'],
          keep: true,
        },
      }),
      'curl --include --request PATCH --data "{\\"secret\\":\\"$SECRET\\",\\"target_url\\":\\"$TARGET_URL\\",\\"event_filters\\":[\\"user.deleted\\"],\\"keep\\":true}" --globoff "https://login.example.com/subscriptions/$PATH_SEGMENT_2"',
    ],
  ])('%#', (given, expected) => {
    expect(curlCommand(given)).toBe(expected)
  })

  test('is valid shell code and executes no name or value', async () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom(
        odd,
        '$(touch x)',
        '`id`',
        '";id;"',
        "';id;'",
        '!!',
        '\\',
        '--output=x',
        '@/etc/passwd',
        '\n',
      ),
    )
    const pairs = fc.array(fc.tuple(text, text), { maxLength: 3 })
    const given = fc.record({
      headers: pairs,
      form: fc.option(pairs, { nil: undefined }),
      path: text,
      query: pairs,
    })
    const commands: string[] = []
    fc.assert(
      fc.property(given, ({ headers, form, path, query }) => {
        const url = new URL('https://login.example.com/')
        url.pathname = `/${path}`
        for (const [name, value] of query) url.searchParams.append(name, value)
        commands.push(curlCommand({ method: form ? 'POST' : 'GET', url, headers, ...(form && { form }) }))
        expect(commands.at(-1)).not.toMatch(/(^|[^\\])(\\\\)*[`]|(^|[^\\])(\\\\)*\$\(/)
      }),
      { numRuns: 300 },
    )
    const script = commands.join('\n')
    expect(spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    })
    // With a function in place of curl: each command is one call, and no other program is called.
    const counted = spawnSync('bash', ['--norc'], {
      input: `curl() { printf .; }\nPATH=/nowhere\n${script}`,
      encoding: 'utf8',
      env: {},
    })
    expect(counted).toMatchObject({ status: 0, stderr: '', stdout: '.'.repeat(commands.length) })
  })
})

describe.skipIf(!hasCurl)('run with its variables set, sends the same request', () => {
  const form = 'application/x-www-form-urlencoded'
  const secret = { ACCESS_TOKEN: 'the.access-token', CLIENT_ID: 'app', CLIENT_SECRET: 'p ä:ss' }
  const basic = `Basic ${Buffer.from('app:p ä:ss').toString('base64')}`

  test.each<[string, Omit<CurlRequest, 'url'>, string, Record<string, string>]>([
    [
      'a search',
      { method: 'GET', headers: [['Accept', 'application/json']] },
      '/events/search?from=2026-03-02T00:00:00%2B02:00&to=2026-03-03T00:00:00&page=0',
      {},
    ],
    [
      'odd query values',
      { method: 'GET', headers: [] },
      `/a?state=${encodeURIComponent(odd)}&x%20y=1&response_type=code&response_type=token`,
      { STATE: odd, PARAMETER_NAME: 'x%20y', VALUE: '1' },
    ],
    [
      'a valid token',
      { method: 'GET', headers: [['Authorization', 'Bearer the.access-token']] },
      '/userinfo',
      secret,
    ],
    [
      'a code exchange',
      {
        method: 'POST',
        headers: [
          ['Authorization', basic],
          ['Content-Type', form],
        ],
        form: [
          ['grant_type', 'authorization_code'],
          ['code', odd],
          ['code', odd],
          ['redirect_uri', 'https://a/b?c'],
        ],
      },
      '/token',
      { ...secret, CODE: odd, REDIRECT_URI: 'https://a/b?c' },
    ],
    [
      'a form with a query',
      { method: 'POST', headers: [], form: [['grant_type', 'refresh_token']] },
      '/token?page=1&state=x',
      { STATE: 'x' },
    ],
    ['an empty form', { method: 'POST', headers: [['Content-Type', form]], form: [] }, '/token', {}],
    [
      'headers of the partner',
      {
        method: 'GET',
        headers: [
          ['X-Client-Id', odd.replace('ä', '')],
          ['X-Client-Secret', 'b'],
        ],
      },
      "/a$b/(c)/d!'e/[f]",
      {
        PARTNER_CLIENT_ID: odd.replace('ä', ''),
        PARTNER_CLIENT_SECRET: 'b',
        PATH_SEGMENT_1: 'a$b',
        PATH_SEGMENT_2: '(c)',
        PATH_SEGMENT_3: "d!'e",
        PATH_SEGMENT_4: '[f]',
      },
    ],
  ])('%s', async (_, given, path, env) => {
    const server = await site()
    const command = curlCommand({ ...given, url: server.url(path) })
    for (const value of Object.values(env)) if (value.length > 6) expect(command).not.toContain(value)
    await run('bash', ['--norc', '-c', command], { env: { PATH: process.env.PATH ?? '', ...env } })
    expect(server.log).toHaveLength(1)
    const [seen] = server.log
    const sent = new URL(seen?.url ?? '', server.url())
    const meant = server.url(path)
    expect([seen?.method, sent.pathname]).toEqual([given.method, meant.pathname])
    expect([...sent.searchParams]).toEqual([...meant.searchParams])
    expect([...new URLSearchParams(seen?.body)]).toEqual(given.form ?? [])
    const raw = seen?.rawHeaders ?? []
    for (const [name, value] of given.headers) {
      const at = raw.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name.toLowerCase())
      expect([name, at === -1 ? undefined : raw[at + 1]]).toEqual([name, value])
    }
  })
})
