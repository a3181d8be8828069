import { describe, kindOf, quotedOrMasked } from '../../src/check/expect.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import { endpoint } from '../../src/oauth/endpoints.ts'
import { check } from './requirements.ts'

// A wrong IDP_BASE_URL also leads to 404. A 404 is therefore a violation only if another endpoint of the address
// works.
check(
  'DISCOVERY-PUBLIC',
  'the discovery document is served without credentials',
  { effects: ['login'] },
  async ({ discovery, authorization, expect, target }) => {
    expect.describeRequest('a GET without any credentials')
    const response = await discovery.response()
    if (response.status === 404) {
      // Without a user, no other endpoint can show that IDP_BASE_URL is right.
      if (!target.user)
        return inconclusive('the discovery document was not found', { variables: ['IDP_BASE_URL'] })
      // Inconclusive if the authorization endpoint returns no code either.
      await authorization.firstCode()
    }
    expect.status(response, 200)
  },
)

check(
  'DISCOVERY-METADATA',
  'the discovery document is a JSON object with addresses',
  async ({ discovery, expect }) => {
    const response = await discovery.response()
    if (response.status !== 200) {
      return inconclusive(`there is no discovery document (${describe(response)})`, ['DISCOVERY-PUBLIC'])
    }
    const addresses = Object.values(expect.object(response)).filter(isAddress)
    expect.that(
      addresses.length > 0,
      'at least one member that is an absolute URL',
      'no member that is an absolute URL',
    )
  },
)

check(
  'DISCOVERY-INTROSPECTION-ADVERTISED',
  'the discovery document has an introspection endpoint',
  async ({ discovery, expect }) => {
    const { introspection_endpoint: address } = await discovery.metadata()
    expect.that(
      isAddress(address),
      'introspection_endpoint as an absolute URL',
      `introspection_endpoint: ${kindOf(address)}`,
    )
  },
)

check(
  'DISCOVERY-FIELDS',
  'members of the discovery document are recorded',
  async ({ discovery, observe }) => {
    observe('discovery.members', Object.keys(await discovery.metadata()).sort())
  },
)

check(
  'DISCOVERY-ADDRESSES',
  'whether the advertised addresses equal the documented ones is recorded',
  async ({ discovery, target, observe, note }) => {
    const metadata = await discovery.metadata()
    const documented = (['authorization', 'token', 'userinfo', 'introspection'] as const).map(
      (name) => [`${name}_endpoint`, endpoint(target, name).href] as const,
    )
    const advertised = documented.filter(([member]) => metadata[member] !== undefined)
    const different = advertised.filter(([member, href]) => metadata[member] !== href)
    for (const [member] of different) note(`${member} is not the documented address`)
    observe(
      'discovery.documented-addresses',
      advertised.filter((entry) => !different.includes(entry)).map(([member]) => member),
    )
  },
)

check(
  'DISCOVERY-ISSUER',
  'whether `issuer` equals IDP_BASE_URL is recorded',
  async ({ discovery, target, observe, note }) => {
    const { issuer } = await discovery.metadata()
    const isSameIssuer = issuer === target.issuer
    if (!isSameIssuer) note('issuer differs from IDP_BASE_URL, compared byte for byte')
    observe(
      'discovery.issuer',
      isSameIssuer ? 'as IDP_BASE_URL' : typeof issuer === 'string' ? 'another' : kindOf(issuer),
    )
  },
)

/** For each member that lists capabilities: the documented one, and some that the specification does not support. */
const capabilities = {
  response_types_supported: { needed: 'code', unsupported: ['token', 'id_token', 'code id_token'] },
  code_challenge_methods_supported: { needed: 'S256', unsupported: ['plain'] },
  grant_types_supported: {
    needed: 'authorization_code',
    unsupported: ['implicit', 'client_credentials', 'password'],
  },
  id_token_signing_alg_values_supported: { needed: 'RS256', unsupported: ['none'] },
  scopes_supported: { needed: 'openid', unsupported: [] },
} as const

check(
  'DISCOVERY-CAPABILITIES',
  'the advertised capabilities are recorded',
  async ({ discovery, observe, note }) => {
    const metadata = await discovery.metadata()
    for (const [member, { needed, unsupported }] of Object.entries(capabilities)) {
      const values = metadata[member]
      if (!Array.isArray(values)) continue
      if (!values.includes(needed)) note(`${member} does not contain ${needed}`)
      for (const value of unsupported)
        if (values.includes(value))
          note(`${member} contains ${value}, which the specification does not support`)
    }
    observe(
      'discovery.capabilities',
      Object.keys(capabilities).filter((member) => Array.isArray(metadata[member])),
    )
  },
)

check(
  'DISCOVERY-MEDIA-TYPE',
  'the media type of the discovery document is recorded',
  async ({ discovery, observe }) => {
    // Inconclusive if there is no discovery document.
    await discovery.metadata()
    observe('discovery.media-type', quotedOrMasked((await discovery.response()).mediaType))
  },
)

/** Whether a value is an absolute http or https URL. */
function isAddress(value: unknown): boolean {
  return typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '')
}
