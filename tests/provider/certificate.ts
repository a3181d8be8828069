import { createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** One DER element (X.690): tag, length, content. */
function der(tag: number, ...content: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(
    content.map((part) => (typeof part === 'string' ? Buffer.from(part, 'hex') : part)),
  )
  const length =
    body.length < 128 ? Buffer.from([body.length]) : Buffer.from([0x82, body.length >> 8, body.length & 255])
  return Buffer.concat([Buffer.from([tag]), length, body])
}

const sequence = 0x30
const ecdsaWithSha256 = der(sequence, '06082a8648ce3d040302')

/** A key with a certificate (RFC 5280) it has signed itself, for 127.0.0.1; valid for a day around now. */
export function selfSigned(): { key: string; cert: string } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = der(sequence, der(0x31, der(sequence, '0603550403', der(0x0c, Buffer.from('127.0.0.1')))))
  const time = (at: number) =>
    der(0x17, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`))
  const body = der(
    sequence,
    der(0xa0, der(0x02, '02')),
    der(0x02, '01', randomBytes(8)),
    ecdsaWithSha256,
    name,
    der(sequence, time(Date.now() - 43_200_000), time(Date.now() + 43_200_000)),
    name,
    createPublicKey(privateKey).export({ format: 'der', type: 'spki' }),
  )
  const certificate = der(sequence, body, ecdsaWithSha256, der(0x03, '00', sign('sha256', body, privateKey)))
  const lines = certificate
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n')
  return {
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}
