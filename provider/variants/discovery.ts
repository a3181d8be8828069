import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editResponse } from '../edits.ts'
import { fieldsOf } from '../http.ts'

/** Lawful discovery documents. */
export const discoveryVariants = withSurface('discovery', [
  {
    name: 'discovery-extra-fields',
    summary: 'Adds unusual fields to the discovery document.',
    concerns: ['DISCOVERY-METADATA', 'DISCOVERY-FIELDS', 'DISCOVERY-CAPABILITIES'],
    unspecified: 'The fields of the discovery document are not specified.',
    alter: editResponse('discovery', (response) => {
      const fields = fieldsOf(response)
      if (fields)
        Object.assign(fields, { 'x-release': 7, ui_locales_supported: ['fi', 'en'], op_policy_uri: null })
    }),
  },
  {
    name: 'discovery-minimal',
    summary: 'Returns only the issuer and the endpoints in the discovery document.',
    concerns: ['DISCOVERY-METADATA', 'DISCOVERY-FIELDS', 'DISCOVERY-CAPABILITIES'],
    unspecified: 'The fields of the discovery document are not specified.',
    alter: editResponse('discovery', (response) => {
      const kept = Object.entries(fieldsOf(response) ?? {}).filter(([name]) =>
        /^(issuer|jwks_uri|.*_endpoint)$/.test(name),
      )
      response.body = Object.fromEntries(kept)
    }),
  },
  {
    name: 'discovery-without-key-set',
    summary: 'Omits `jwks_uri` from the discovery document.',
    concerns: ['DISCOVERY-METADATA', 'KEYSET-HOLDS-SIGNER', 'KEYSET-KID', 'IDTOKEN-SIGNATURE'],
    unspecified: 'The fields of the discovery document are not specified.',
    alter: editResponse('discovery', (response) => {
      delete fieldsOf(response)?.jwks_uri
    }),
  },
  {
    name: 'discovery-under-other-names',
    summary:
      'Returns the discovery document as `text/plain`, with a trailing slash on the issuer and a query on all other URLs.',
    concerns: [
      'DISCOVERY-PUBLIC',
      'DISCOVERY-METADATA',
      'DISCOVERY-ADDRESSES',
      'DISCOVERY-ISSUER',
      'DISCOVERY-MEDIA-TYPE',
      'KEYSET-ADDRESS',
    ],
    unspecified: 'Of the discovery document, only the introspection endpoint is specified.',
    alter: editResponse('discovery', (response) => {
      const fields = fieldsOf(response)
      if (!fields) return
      response.headers['content-type'] = 'text/plain'
      fields.issuer = `${fields.issuer}/`
      for (const [name, value] of Object.entries(fields)) {
        if (/_(?:endpoint|uri)$/.test(name)) fields[name] = `${value}?version=2`
      }
    }),
  },
  {
    name: 'issuer-with-path',
    summary: 'Has an issuer with a path, and all addresses of the identity provider below it.',
    concerns: [
      'DISCOVERY-METADATA',
      'DISCOVERY-ADDRESSES',
      'AUTHZ-CODE-FLOW',
      'TOKEN-CODE-EXCHANGE',
      'IDTOKEN-ISSUER',
    ],
    unspecified: 'Whether {base_url} has a path is not specified.',
    mustPass: ['DISCOVERY-METADATA', 'AUTHZ-CODE-FLOW', 'TOKEN-CODE-EXCHANGE', 'IDTOKEN-ISSUER'],
    alter: (behaviour: Behaviour) => {
      behaviour.basePath = '/tenant-7'
    },
  },
  {
    name: 'discovery-names-other-paths',
    summary: 'Lists paths in the discovery document that differ from the documented ones.',
    concerns: ['DISCOVERY-METADATA', 'DISCOVERY-ADDRESSES', 'AUTHZ-CODE-FLOW', 'TOKEN-CODE-EXCHANGE'],
    unspecified: 'Of the discovery document, only the introspection endpoint is specified.',
    mustPass: ['DISCOVERY-METADATA', 'AUTHZ-CODE-FLOW', 'TOKEN-CODE-EXCHANGE'],
    alter: editResponse('discovery', (response) => {
      const fields = fieldsOf(response)
      for (const [name, value] of Object.entries(fields ?? {}))
        if (fields && name.endsWith('_endpoint')) fields[name] = String(value).replace('/mga/sps/', '/oauth/')
    }),
  },
  {
    name: 'end-announced',
    summary: 'Sends `Deprecation` and `Sunset` headers with the discovery document and the key set.',
    concerns: ['PLATFORM-DEPRECATION'],
    unspecified: 'How a deprecation is announced is not specified.',
    alter: ({ idp }: Behaviour) => {
      for (const endpoint of ['discovery', 'keySet'] as const)
        idp.responses[endpoint].push(({ headers }) => {
          headers.deprecation = '@1767225600'
          headers.sunset = 'Fri, 31 Dec 2027 23:59:59 GMT'
        })
    },
  },
])
