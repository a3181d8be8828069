import { describe, kindOf } from '../../src/check/expect.ts'
import { endpoint } from '../../src/oauth/endpoints.ts'
import { check } from './requirements.ts'

// A wrong IDP_BASE_URL answers 404 as well: another endpoint of the address has to work before that counts.
check(
  'DISCOVERY-PUBLIC',
  'the discovery document is served without credentials',
  { effects: ['login'] },
  async ({ identity, expect, target, inconclusive }) => {
    expect.sending('a GET without any credentials')
    const response = await identity.discovery()
    if (response.status === 404) {
      if (!target.user)
        return inconclusive('the discovery document was not found; check IDP_BASE_URL', 'configuration')
      await identity.firstCode()
    }
    expect.status(response, 200)
  },
)

check(
  'DISCOVERY-METADATA',
  'the discovery document is a JSON object with addresses',
  async ({ identity, expect, inconclusive }) => {
    const response = await identity.discovery()
    if (response.status !== 200) {
      return inconclusive(`no discovery document was served (${describe(response)}); see DISCOVERY-PUBLIC`)
    }
    const addresses = Object.values(expect.object(response)).filter(isAddress)
    expect.that(addresses.length > 0, 'at least one member that is an absolute URL', 'none was')
  },
)

check(
  'DISCOVERY-INTROSPECTION-ADVERTISED',
  'the discovery document names an introspection endpoint',
  async ({ identity, expect }) => {
    const { introspection_endpoint: address } = await identity.metadata()
    expect.that(isAddress(address), 'introspection_endpoint as an absolute URL', `it was ${kindOf(address)}`)
  },
)

check(
  'DISCOVERY-FIELDS',
  'members of the discovery document are recorded',
  async ({ identity, target, observe, note }) => {
    const metadata = await identity.metadata()
    observe('discovery.members', Object.keys(metadata).sort())
    const documented = [
      ['authorization_endpoint', 'authorization'],
      ['token_endpoint', 'token'],
      ['userinfo_endpoint', 'userinfo'],
      ['introspection_endpoint', 'introspection'],
    ] as const
    for (const [member, name] of documented) {
      if (metadata[member] !== undefined && metadata[member] !== endpoint(target, name).href) {
        note(`${member} is not the documented address`)
      }
    }
    if (metadata.issuer !== target.issuer) note('issuer is not IDP_BASE_URL, byte for byte')
  },
)

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value)
}
