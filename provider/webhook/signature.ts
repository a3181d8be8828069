import { CompactSign } from 'jose'
import type { UnsignedJws } from './behaviour.ts'

/** JWS in compact serialisation (RFC 7515 section 7.1). */
export function compactJws({ header, payload, key }: UnsignedJws): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(payload))).setProtectedHeader(header).sign(key)
}
