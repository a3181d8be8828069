import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { describe, expect, test } from 'vitest'
import { Doctor, inOwnProcess, listening, withSeverity } from './doctor-fixture.ts'

const doctor = new Doctor()

describe('the doctor examines the connection to a target, which', () => {
  const uat = (host: string) => ({
    TARGET: 'uat',
    IDP_BASE_URL: `https://${host}`,
    PARTNER_API_URL: `https://${host}/partner`,
    PRODUCTION_HOSTS: 'none',
    PARTNER_CLIENT_ID: 'partner',
    PARTNER_CLIENT_SECRET: 'canary-partner-secret',
    CLIENT_ID: 'application',
    CLIENT_SECRET: 'canary-client-secret',
    REDIRECT_URI: 'https://partner.invalid/callback',
  })

  test.each([
    ['login.plumbline.invalid', true],
    ['login-uat.plumbline.invalid', false],
    ['idp.test.plumbline.invalid', false],
  ])('is to %s: the doctor doubts that it is a test deployment: %j', async (host, doubtful) => {
    const result = await doctor.diagnosed({}, ['--no-login'], uat(host))
    const doubts = withSeverity(result, 'warning').filter(({ what }) => what.includes(host))
    expect(doubts.map(({ variables }) => variables)).toEqual(doubtful ? [['TARGET']] : [])
  })

  test.each([
    [
      'of an unknown authority',
      { ip: '127.0.0.1', from: -1, to: 90 },
      'NODE_EXTRA_CA_CERTS',
      /not from an authority that this machine trusts/,
    ],
    ['expired', { ip: '127.0.0.1', from: -90, to: -1 }, 'IDP_BASE_URL', / expired on \d{4}-/],
    [
      'of another name',
      { ip: '127.0.0.9', from: -1, to: 90 },
      'IDP_BASE_URL',
      /for other names \(127\.0\.0\.9\)/,
    ],
    ['that is valid', { ip: '127.0.0.1', from: -1, to: 90 }, undefined, /valid for 89 more days/],
    ['that ends soon', { ip: '127.0.0.1', from: -1, to: 5 }, undefined, /valid for only 4 more days/],
  ])('has a certificate %s', async (what, { ip, from, to }, variable, sentence) => {
    const { private: key, cert } = await certificate(ip, from, to)
    const server = createSecureServer({ key, cert }, (_request, response) => response.writeHead(404).end())
    const origin = await listening(server)
    const file = join(doctor.folder, `${what.replaceAll(' ', '-')}.pem`)
    writeFileSync(file, cert)
    const trusted = what === 'of an unknown authority' ? {} : { NODE_EXTRA_CA_CERTS: file }
    const result = await doctor.diagnosed(trusted, ['--no-login'], uat(new URL(origin).host), inOwnProcess)
    const network = result.findings.filter(({ topic }) => topic === 'network')
    expect(network).toMatchObject([
      {
        severity: variable === undefined ? expect.stringMatching(/ok|warning/) : 'error',
        what: expect.stringMatching(sentence),
      },
    ])
    if (variable !== undefined) {
      expect(network[0]?.variables[0]).toBe(variable)
      expect(withSeverity(result, 'error')).toHaveLength(1)
    }
  })

  test('uses a different protocol from the one in its address', async () => {
    const { host } = new URL(doctor.provider.issuer)
    const result = await doctor.diagnosed({ IDP_BASE_URL: `https://${host}`, JWKS_URL: null }, ['--no-login'])
    expect(withSeverity(result, 'error')).toMatchObject([
      {
        topic: 'network',
        variables: ['IDP_BASE_URL'],
        what: expect.stringContaining('the TLS handshake fails'),
      },
    ])
    expect(result.findings).toContainEqual(expect.objectContaining({ topic: 'Event Hub', severity: 'ok' }))
    expect(result.code).toBe(3)
  })

  test('is to a name that does not resolve', async () => {
    const result = await doctor.diagnosed({}, ['--no-login'], uat('login.plumbline.invalid'))
    expect(withSeverity(result, 'error')).toMatchObject([
      {
        topic: 'network',
        variables: ['IDP_BASE_URL', 'PARTNER_API_URL'],
        what: expect.stringContaining('does not resolve'),
      },
    ])
    expect(withSeverity(result, 'skipped')).toMatchObject([
      {
        topic: 'discovery',
        what: 'the host of IDP_BASE_URL is unreachable, so these are not checked: discovery, clock, key set, application, login, tokens, UserInfo',
      },
      { topic: 'Event Hub', what: 'the host of PARTNER_API_URL is unreachable' },
    ])
    expect(result).toMatchObject({ code: 3, requests: 0 })
  })

  test('is to a port that refuses connections', async () => {
    const server = createServer()
    const { host } = new URL(await listening(server))
    await new Promise((resolve) => server.close(resolve))
    const result = await doctor.diagnosed({}, ['--no-login'], uat(host))
    expect(withSeverity(result, 'error')).toMatchObject([
      {
        topic: 'network',
        variables: ['IDP_BASE_URL', 'PARTNER_API_URL'],
        what: expect.stringContaining('ECONNREFUSED'),
      },
    ])
    expect(result.code).toBe(3)
  })

  test.each([
    [403, /refuses it \(403\)/],
    [407, /requires credentials/],
  ])('is through a proxy that responds with %d', async (status, sentence) => {
    const proxy = createServer()
    proxy.on('connect', (_request, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`))
    const origin = await listening(proxy)
    const result = await doctor.diagnosed(
      { HTTPS_PROXY: origin },
      ['--no-login'],
      uat('login.plumbline.invalid'),
    )
    expect(withSeverity(result, 'error')).toMatchObject([
      { topic: 'network', variables: ['HTTPS_PROXY', 'NO_PROXY'], what: expect.stringMatching(sentence) },
    ])
    expect(result).toMatchObject({ code: 3, requests: 0 })
  })
})

function certificate(ip: string, fromDays: number, toDays: number) {
  const day = 24 * 3600 * 1000
  return generate([{ name: 'commonName', value: ip }], {
    notBeforeDate: new Date(Date.now() + fromDays * day),
    notAfterDate: new Date(Date.now() + toDays * day),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip }] }],
  })
}
