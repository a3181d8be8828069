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

/** Content coding of a body in lower case; empty where it has none. */
export function contentCoding(headers: ResponseHeaders): string {
  const coding = String(headers['content-encoding'] ?? '').toLowerCase()
  return coding === 'identity' ? '' : coding
}

/**
 * A body without its content coding, which a server may choose although no request asks for one (RFC 9110, 12.5.3).
 * @param largest size after decoding, in bytes
 * @throws where it cannot be decoded, or is larger (code ERR_BUFFER_TOO_LARGE)
 */
export function decoded(body: Buffer, headers: ResponseHeaders, largest: number): Buffer {
  if (body.length === 0) return body
  return decoders[contentCoding(headers)]?.(body, { maxOutputLength: largest }) ?? body
}
