import { createHash } from 'node:crypto'
import type { Alter } from '../alteration.ts'
import { activeKey, spareKey } from '../keys.ts'
import { compactJws, sha256Hex, type UnsignedJws } from '../webhook/signature.ts'
import { defineWebhookFaults } from './define-webhook-faults.ts'

type Payload = UnsignedJws['payload']

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

function editPayload(edit: (payload: Payload) => void): Alter {
  return ({ webhooks }) => webhooks.signature.push(({ payload }) => edit(payload))
}

/** Sends one form of a body, and signs the digest of another form. */
function digestOther(
  sent: (fields: Record<string, unknown>) => string,
  digested: (sent: string) => string,
): Alter {
  return ({ webhooks }) => {
    webhooks.serialize = sent
    const { digest } = webhooks
    webhooks.digest = (body) => digest(digested(body))
  }
}

/** Replaces matching characters with JSON escapes. */
function escaped(text: string, characters: RegExp): string {
  return text.replace(
    characters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function sorted(body: string): string {
  const fields: Record<string, unknown> = JSON.parse(body)
  return JSON.stringify(
    Object.fromEntries(Object.entries(fields).sort(([first], [second]) => (first < second ? -1 : 1))),
  )
}

const form = defineWebhookFaults([
  {
    name: 'webhook-signature-unsigned',
    summary: 'Sends a JWS with `alg` none as the signature.',
    violates: ['WEBHOOK-SIGNATURE-JWS'],
    alter: ({ webhooks }) => {
      webhooks.sign = ({ header, payload }) =>
        `${base64url({ ...header, alg: 'none' })}.${base64url(payload)}.`
    },
  },
  {
    name: 'webhook-signature-by-public-key',
    summary: 'Signs deliveries with HS256 and the public key as the secret.',
    violates: ['WEBHOOK-SIGNATURE-JWS'],
    alter: ({ webhooks }) => {
      webhooks.signature.push(async (jws) => {
        jws.header.alg = 'HS256'
        const { publicKey } = await activeKey()
        jws.key = Buffer.from(publicKey.export({ format: 'pem', type: 'spki' }).toString())
      })
    },
  },
  {
    name: 'webhook-signature-by-secret',
    summary: 'Signs deliveries with HS256 and the secret of the subscription.',
    violates: ['WEBHOOK-SIGNATURE-JWS'],
    alter: ({ webhooks }) => {
      webhooks.signature.push((jws, { delivery }) => {
        jws.header.alg = 'HS256'
        jws.key = Buffer.from(delivery.subscription.secret)
      })
    },
  },
  {
    name: 'webhook-signature-ps256',
    summary: 'Signs deliveries with PS256.',
    violates: ['WEBHOOK-SIGNATURE-JWS'],
    alter: ({ webhooks }) => {
      webhooks.signature.push((jws) => {
        jws.header.alg = 'PS256'
      })
    },
  },
  {
    name: 'webhook-signature-detached',
    summary: 'Sends the JWS with detached content (RFC 7515 appendix F).',
    violates: ['WEBHOOK-SIGNATURE-JWS'],
    alter: ({ webhooks }) => {
      webhooks.sign = async (jws) => (await compactJws(jws)).replace(/\..*\./, '..')
    },
  },
  {
    name: 'webhook-signature-as-json',
    summary: 'Sends the JWS in the flattened JSON serialisation.',
    violates: ['WEBHOOK-SIGNATURE-JWS'],
    alter: ({ webhooks }) => {
      webhooks.sign = async ({ header, payload, key }) => {
        const { FlattenedSign } = await import('jose')
        const jws = new FlattenedSign(Buffer.from(JSON.stringify(payload))).setProtectedHeader(header)
        return JSON.stringify(await jws.sign(key))
      }
    },
  },
  {
    name: 'webhook-signature-bare',
    summary: 'Sends only the signature part of the JWS.',
    violates: ['WEBHOOK-SIGNATURE-JWS'],
    alter: ({ webhooks }) => {
      webhooks.sign = async (jws) => (await compactJws(jws)).split('.')[2] ?? ''
    },
  },
])

const keys = defineWebhookFaults([
  {
    name: 'webhook-signature-of-another-key',
    summary: 'Signs deliveries with a key that their `kid` does not name.',
    violates: ['WEBHOOK-SIGNATURE-KEY'],
    alter: ({ webhooks }) => {
      webhooks.signature.push(async (jws) => {
        jws.key = (await spareKey()).privateKey
      })
    },
  },
  {
    name: 'webhook-signature-kid-unknown',
    summary: 'Signs deliveries with a key that is not in the key set.',
    violates: ['WEBHOOK-SIGNATURE-KEY'],
    alter: ({ webhooks }) => {
      webhooks.signature.push(async (jws) => {
        const { kid, privateKey } = await spareKey()
        jws.header.kid = kid
        jws.key = privateKey
      })
    },
  },
  {
    name: 'webhook-signature-kid-of-each-target',
    summary:
      'Writes a different `kid` for each subscription into signatures; none of them is in the key set.',
    violates: ['WEBHOOK-SIGNATURE-KEY'],
    alter: ({ webhooks }) => {
      webhooks.signature.push(({ header }, { delivery }) => {
        header.kid = `${header.kid}-${delivery.subscription.id}`
      })
    },
  },
  {
    name: 'webhook-signature-kid-missing',
    summary: 'Omits `kid` from the header of the signature.',
    violates: ['WEBHOOK-SIGNATURE-KEY'],
    alter: ({ webhooks }) => {
      webhooks.signature.push(({ header }) => {
        delete header.kid
      })
    },
  },
  {
    name: 'webhook-signature-payload-exchanged',
    summary: 'Changes the payload of the JWS after it has signed it.',
    violates: ['WEBHOOK-SIGNATURE-KEY'],
    alter: ({ webhooks }) => {
      webhooks.sign = async (jws) => {
        const [header, , signature] = (await compactJws(jws)).split('.')
        return `${header}.${base64url({ ...jws.payload, issued: true })}.${signature}`
      }
    },
  },
])

const digests = defineWebhookFaults([
  {
    name: 'webhook-digest-missing',
    summary: 'Omits `digest` from the signed payload.',
    violates: ['WEBHOOK-SIGNATURE-DIGEST'],
    alter: editPayload((payload) => {
      delete payload.digest
    }),
  },
  {
    name: 'webhook-digest-without-prefix',
    summary: 'Signs a digest without its prefix.',
    violates: ['WEBHOOK-SIGNATURE-DIGEST'],
    alter: ({ webhooks }) => {
      webhooks.digest = sha256Hex
    },
  },
  {
    name: 'webhook-digest-prefix-of-rfc-3230',
    summary: 'Signs a digest that begins with `SHA-256=` instead of `SHA-256:`.',
    violates: ['WEBHOOK-SIGNATURE-DIGEST'],
    alter: ({ webhooks }) => {
      webhooks.digest = (body) => `SHA-256=${sha256Hex(body)}`
    },
  },
  {
    name: 'webhook-digest-base64',
    summary: 'Signs a digest in base64.',
    violates: ['WEBHOOK-SIGNATURE-DIGEST'],
    alter: ({ webhooks }) => {
      webhooks.digest = (body) => `SHA-256:${Buffer.from(sha256Hex(body), 'hex').toString('base64')}`
    },
  },
  {
    name: 'webhook-digest-sha-512',
    summary: 'Signs the first half of a SHA-512 hash as the digest.',
    violates: ['WEBHOOK-SIGNATURE-DIGEST'],
    alter: ({ webhooks }) => {
      webhooks.digest = (body) => `SHA-256:${createHash('sha512').update(body).digest('hex').slice(0, 64)}`
    },
  },
  {
    name: 'webhook-digest-of-compact-body',
    summary: 'Sends a body with line breaks, but signs the digest of the body without them.',
    violates: ['WEBHOOK-SIGNATURE-DIGEST'],
    alter: digestOther(
      (fields) => JSON.stringify(fields, null, 2),
      (sent) => JSON.stringify(JSON.parse(sent)),
    ),
  },
  {
    name: 'webhook-digest-of-sorted-body',
    summary: 'Signs the digest of the body with its members in alphabetical order.',
    violates: ['WEBHOOK-SIGNATURE-DIGEST'],
    alter: digestOther(JSON.stringify, sorted),
  },
  {
    name: 'webhook-digest-of-unescaped-body',
    summary: 'Sends a body with escaped characters, but signs the digest of the unescaped body.',
    violates: ['WEBHOOK-SIGNATURE-DIGEST'],
    alter: digestOther(
      // Also escapes the first letter of the type, so that ASCII bodies differ too.
      (fields) => escaped(JSON.stringify(fields), /[^\x20-\x7e]|(?<="type":")./g),
      (sent) => JSON.stringify(JSON.parse(sent)),
    ),
  },
])

const agreement = defineWebhookFaults([
  {
    name: 'webhook-signed-time-missing',
    summary: 'Omits `timestamp` from the signed payload.',
    violates: ['WEBHOOK-SIGNATURE-TIMESTAMP'],
    alter: editPayload((payload) => {
      delete payload.timestamp
    }),
  },
  {
    name: 'webhook-signed-time-differs',
    summary: 'Signs a timestamp one second after that of the header.',
    violates: ['WEBHOOK-SIGNATURE-TIMESTAMP'],
    alter: editPayload((payload) => {
      payload.timestamp = new Date(Date.parse(String(payload.timestamp)) + 1000).toISOString()
    }),
  },
  {
    name: 'webhook-signed-time-in-seconds',
    summary: 'Signs the timestamp as a number of seconds since the epoch.',
    violates: ['WEBHOOK-SIGNATURE-TIMESTAMP'],
    alter: editPayload((payload) => {
      payload.timestamp = Math.floor(Date.parse(String(payload.timestamp)) / 1000)
    }),
  },
  {
    name: 'webhook-signed-nonce-missing',
    summary: 'Omits `nonce` from the signed payload.',
    violates: ['WEBHOOK-SIGNATURE-NONCE'],
    alter: editPayload((payload) => {
      delete payload.nonce
    }),
  },
  {
    name: 'webhook-signed-nonce-differs',
    summary: 'Signs a nonce that differs from that of the header.',
    violates: ['WEBHOOK-SIGNATURE-NONCE'],
    alter: editPayload((payload) => {
      payload.nonce = `${payload.nonce}-signed`
    }),
  },
])

export const webhookSignatureFaults = [...form, ...keys, ...digests, ...agreement]
