import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createProxy } from 'node:http'
import { createServer, type Server } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LaunchOptions, launchBrowser } from '../../src/browser/index.ts'
import { networkArguments } from '../../src/browser/network-rules.ts'
import { Recorder } from '../../src/evidence/recorder.ts'
import { Budget } from '../../src/http/budget.ts'
import { connectTls } from '../../src/http/tls.ts'
import { SetupError } from '../../src/target/problem.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-launch-'))
afterAll(() => rmSync(folder, { recursive: true }))

const redirectUri = 'https://app.invalid/callback'

/** Where an authorization request at `url` lands in a browser launched with these options. */
async function land(options: LaunchOptions, ...urls: readonly string[]) {
  const launched = await launchBrowser(options)
  try {
    const hosts = urls.map((url) => new URL(url).host)
    const budget = new Budget({
      hosts,
      requestsPerSecond: Number.POSITIVE_INFINITY,
      requestBudget: 50,
      loginBudget: 0,
    })
    const agent = await launched.openAgent({
      budget,
      recorder: new Recorder(),
      hosts,
      redirectUris: [redirectUri],
    })
    const landings = []
    for (const url of urls) landings.push(await agent.authorize(new URL(url), { redirectUri, act: 'stop' }))
    return landings
  } finally {
    await launched.close()
  }
}

test.for([
  [
    'a path that is not there',
    { chromiumPath: '/nowhere/chromium' },
    /^CHROMIUM_PATH .*\/nowhere\/chromium.*\(for example CHROMIUM_PATH=\/usr\/bin\/chromium\)$/,
  ],
  ['another program', { chromiumPath: '/bin/true' }, /^CHROMIUM_PATH .*\/bin\/true/],
  [
    'no browser anywhere',
    { env: { PATH: '', HOME: '/nowhere' } },
    /^CHROMIUM_PATH is not set, and no Chromium was found/,
  ],
  [
    'a file that is not a program',
    { env: { CHROMIUM_PATH: '/etc/passwd' } },
    /^CHROMIUM_PATH .*\/etc\/passwd/,
  ],
  [
    'a proxy with a password',
    { proxy: { url: 'http://u:canary@proxy.example:1', bypass: '' } },
    /^HTTPS_PROXY contains a user name or password/,
  ],
  [
    'a proxy that is not an address',
    { proxy: { url: 'proxy.example', bypass: '' } },
    /^HTTPS_PROXY must be an address/,
  ],
  [
    'no certificates',
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: '/nowhere.pem' } },
    /^NODE_EXTRA_CA_CERTS points to \/nowhere.pem/,
  ],
  ['no screen', { env: { ...process.env, DISPLAY: '' }, headed: true }, /^DISPLAY points to no screen/],
] as const)('the error is one clear sentence: %s', async ([, options, sentence]) => {
  const failed = launchBrowser({ hosts: ['127.0.0.1:9'], ...options })
  await expect(failed).rejects.toThrow(SetupError)
  await expect(failed).rejects.toThrow(sentence)
  await expect(failed).rejects.not.toThrow('canary')
})

test.for([
  ['idp.example', '', false],
  ['idp.example', 'idp.example', true],
  ['idp.example', '.example', true],
  ['idp.example', 'example', true],
  ['idp.example', '*.idp.example', false],
  ['idp.example', 'other.example, *', true],
  ['idp.example:8443', 'idp.example:443', false],
  ['idp.example:8443', 'IDP.example:8443', true],
  ['[::1]:8443', '::1', true],
] as const)('%s with NO_PROXY=%s', ([host, bypass, direct]) => {
  const [pac = '', rules] = networkArguments([host], { url: 'http://proxy.example:3128', bypass })
  const script = Buffer.from(pac.split('base64,')[1] ?? '', 'base64').toString()
  const find = new Function('url', `${script}; return FindProxyForURL(url)`) as (url: string) => string
  expect(find(`https://${host}/`)).toBe(direct ? 'DIRECT' : 'PROXY proxy.example:3128')
  expect(find('https://stranger.example/')).toBe('PROXY nowhere.invalid:9')
  expect(rules).toContain('EXCLUDE proxy.example')
})

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
}

function hasOpenssl(): boolean {
  try {
    openssl('version')
    return true
  } catch {
    return false
  }
}

describe.skipIf(!hasOpenssl())('a target with a certificate of a private authority', () => {
  let host: string
  let server: Server
  let env: Readonly<Record<string, string | undefined>>

  beforeAll(async () => {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    const names = 'subjectAltName=IP:127.0.0.1,DNS:idp.test,DNS:partner.test\n'
    writeFileSync(path.join(folder, 'names'), names)
    openssl(
      'req',
      '-x509',
      ...key,
      '-days',
      '2',
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-subj',
      '/CN=Authority',
    )
    openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=idp.test')
    const signing = [
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-days',
      '2',
      '-extfile',
      'names',
    ]
    openssl('x509', '-req', '-in', 'server.csr', ...signing, '-out', 'server.pem')
    const read = (name: string) => readFileSync(path.join(folder, name))
    server = createServer({ key: read('server.key'), cert: read('server.pem') }, ({ headers }, response) => {
      response.writeHead(302, { location: `${redirectUri}?code=${headers.host}` }).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    env = { ...process.env, NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.pem') }
  })

  afterAll(() => {
    server?.closeAllConnections()
    server?.close()
  })

  test('is trusted thanks to NODE_EXTRA_CA_CERTS, and only then', async () => {
    expect(await land({ hosts: [host], env }, `https://${host}/`)).toMatchObject([{ kind: 'redirect' }])
    expect(
      await land({ hosts: [host], env: { ...env, NODE_EXTRA_CA_CERTS: '' } }, `https://${host}/`),
    ).toMatchObject([{ kind: 'failed', cause: 'environment', variables: ['NODE_EXTRA_CA_CERTS'] }])
  })

  test.each([
    ['verifies the certificate for its IP address, also over another connection', '127.0.0.1', true],
    ['refuses a certificate for another name', 'other.test', false],
  ])('%s', async (_, name, isValid) => {
    const ca = readFileSync(path.join(folder, 'ca.pem'))
    const tunnel = connect(Number(new URL(`https://${host}`).port), '127.0.0.1')
    const opened = connectTls({ socket: tunnel, ca }, name, 5000).then((socket) => {
      socket.destroy()
      return true
    })
    if (isValid) expect(await opened).toBe(true)
    else await expect(opened).rejects.toThrow(/does not match/)
    tunnel.destroy()
  })

  test('is reached through the proxy, which receives no other request', async () => {
    const asked = new Set<string>()
    const proxy = createProxy()
    proxy.on('connect', ({ url = '' }, client) => {
      asked.add(url)
      const tunnel = connect(Number(host.split(':')[1]), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n')
        client.pipe(tunnel).pipe(client)
      })
      for (const socket of [client, tunnel]) socket.on('error', () => tunnel.destroy())
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const landings = await land(
      { hosts: ['idp.test', 'partner.test:8443', host], proxy: { url, bypass: '127.0.0.1' }, env },
      'https://idp.test/',
      'https://partner.test:8443/',
      `https://${host}/`,
      'https://partner.test/',
      'https://stranger.test/',
    )
    expect(landings.slice(0, 3)).toMatchObject(
      ['idp.test', 'partner.test:8443', host].map((code) => ({ location: `${redirectUri}?code=${code}` })),
    )
    expect(landings.slice(3)).toMatchObject([{ cause: 'environment' }, { cause: 'environment' }])
    expect([...asked].sort()).toEqual(['idp.test:443', 'partner.test:8443'])
    proxy.closeAllConnections()
    proxy.close()
  })
})
