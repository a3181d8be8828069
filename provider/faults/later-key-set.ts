import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editKeys, editResponse, type Fields } from '../edits.ts'
import { type HttpResponse, htmlResponse, jsonResponse } from '../http.ts'
import type { Edit } from '../identity/behaviour.ts'
import { activeKey, spareKey } from '../keys.ts'

/** Edits all responses with the key set except the first. */
function editLater(edit: Edit<HttpResponse>): (behaviour: Behaviour) => void {
  return (behaviour) => {
    let responses = 0
    editResponse('keySet', async (response, request) => {
      responses += 1
      if (responses > 1) await edit(response, request)
    })(behaviour)
  }
}

/** Publishes the signing key with altered members, and the spare key. */
function publishAlteredSigner(members: Fields): Edit<HttpResponse> {
  return async (response) => {
    response.body = { keys: [{ ...(await activeKey()).publicJwk, ...members }, (await spareKey()).publicJwk] }
  }
}

/** The example key of RFC 7517 appendix A.1. */
const EC_POINT = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
}

/** Key sets that follow the rules only in the first response. */
export const laterKeySetFaults = withSurface('key-set', [
  {
    name: 'later-key-set-reuses-kid',
    summary: 'Publishes another key with the `kid` of the signing key from the second response on.',
    violates: ['KEYSET-LATER'],
    alter: editLater(async (response) => {
      const { kid } = await activeKey()
      response.body = { keys: [{ ...(await spareKey()).publicJwk, kid }] }
    }),
  },
  {
    name: 'later-key-set-changes-exponent',
    summary: 'Publishes the signing key with a different public exponent from the second response on.',
    violates: ['KEYSET-LATER'],
    alter: editLater(async (response) => {
      response.body = { keys: [{ ...(await activeKey()).publicJwk, e: 'Aw' }] }
    }),
  },
  {
    name: 'later-key-set-changes-elliptic-curve-key',
    summary: 'Replaces an unused EC key under its `kid` from the second response on.',
    violates: ['KEYSET-LATER'],
    alter: (behaviour: Behaviour) => {
      let responses = 0
      editKeys((keys) => {
        responses += 1
        const x = responses === 1 ? EC_POINT.x : EC_POINT.y
        return [...keys, { ...EC_POINT, x, kid: 'elliptic-1', use: 'sig', alg: 'ES256' }]
      })(behaviour)
    },
  },
  {
    name: 'later-key-set-with-private-exponent',
    summary: 'Publishes the private exponent of a second, unused key from the second response on.',
    violates: ['KEYSET-LATER'],
    alter: editLater(async (response) => {
      const { publicJwk, privateJwk } = await spareKey()
      response.body = { keys: [(await activeKey()).publicJwk, { ...publicJwk, d: privateJwk.d }] }
    }),
  },
  {
    name: 'later-key-set-as-page',
    summary: 'Returns a maintenance page with status 200 instead of the key set from the second response on.',
    violates: ['KEYSET-LATER'],
    alter: editLater((response) => {
      Object.assign(response, htmlResponse(200, '<!doctype html><title>Maintenance</title><p>Back soon.</p>'))
    }),
  },
  {
    name: 'later-key-set-needs-credentials',
    summary: 'Returns 401 for every request for the key set after the first one.',
    violates: ['KEYSET-LATER'],
    alter: editLater((response) => {
      Object.assign(response, jsonResponse(401, { error: 'unauthorized' }))
    }),
  },
  {
    name: 'later-key-set-without-signer',
    summary: 'Publishes another key instead of the signing key from the second response on.',
    violates: ['KEYSET-HOLDS-SIGNER'],
    alter: editLater(async (response) => {
      response.body = { keys: [(await spareKey()).publicJwk] }
    }),
  },
  {
    name: 'later-key-set-signer-for-encryption',
    summary:
      'Publishes the signing key with `use` set to `enc`, and another key for signatures, from the second response on.',
    violates: ['KEYSET-HOLDS-SIGNER'],
    alter: editLater(publishAlteredSigner({ use: 'enc' })),
  },
  {
    name: 'later-key-set-signer-for-rs512',
    summary:
      'Publishes the signing key with `alg` set to `RS512`, and another key for RS256, from the second response on.',
    violates: ['KEYSET-HOLDS-SIGNER'],
    alter: editLater(publishAlteredSigner({ alg: 'RS512' })),
  },
])
