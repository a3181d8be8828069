import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import type { Answer } from './shot.ts'

const decoders: Readonly<
  Record<string, (body: Buffer, options: { readonly maxOutputLength: number }) => Buffer>
> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}

/** Content coding of a body in lower case; empty where it has none. */
export function contentCoding(headers: Answer['headers']): string {
  const coding = String(headers['content-encoding'] ?? '').toLowerCase()
  return coding === 'identity' ? '' : coding
}

/**
 * Nobody asks for a content coding, and a server may choose one all the same (RFC 9110, 12.5.3).
 * @param largest bytes that are decoded at most
 * @returns nothing where it cannot be decoded, or would be larger
 */
export function decoded(body: Buffer, headers: Answer['headers'], largest: number): Buffer {
  const decode = decoders[contentCoding(headers)]
  if (!decode) return body
  try {
    return decode(body, { maxOutputLength: largest })
  } catch {
    return Buffer.alloc(0)
  }
}
