import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import type { ResponseHeaders } from './response.ts'

const decoders: Readonly<
  Record<string, (body: Buffer, options: { readonly maxOutputLength: number }) => Buffer>
> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}

/** Content coding of a body in lower case; empty if it has none. */
export function contentCoding(headers: ResponseHeaders): string {
  const coding = String(headers['content-encoding'] ?? '').toLowerCase()
  return coding === 'identity' ? '' : coding
}

/**
 * Decodes a body. A server may choose a content coding even if the request names none (RFC 9110, 12.5.3).
 * @param largest size after decoding, in bytes
 * @throws if the body cannot be decoded, or is larger (code ERR_BUFFER_TOO_LARGE)
 */
export function decoded(body: Buffer, headers: ResponseHeaders, largest: number): Buffer {
  if (body.length === 0) return body
  return decoders[contentCoding(headers)]?.(body, { maxOutputLength: largest }) ?? body
}
