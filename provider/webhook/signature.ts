import { hash, type KeyObject } from 'node:crypto'

/** A JWS (RFC 7515) before it is signed. */
export interface UnsignedJws {
  header: { alg: string; kid?: string; [name: string]: unknown }
  payload: Record<string, unknown>
  key: KeyObject | Uint8Array
}

/** JWS in compact serialisation (RFC 7515 section 7.1). */
export async function compactJws({ header, payload, key }: UnsignedJws): Promise<string> {
  // Loaded here because most providers push nothing.
  const { CompactSign } = await import('jose')
  return new CompactSign(Buffer.from(JSON.stringify(payload))).setProtectedHeader(header).sign(key)
}

export function sha256Hex(text: string): string {
  return hash('sha256', text)
}
