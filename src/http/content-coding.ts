import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import type { ResponseHeaders } from './response.ts'

type Decoder = (body: Buffer, options: { readonly maxOutputLength: number }) => Buffer

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  // Some servers omit the zlib header, which begins with these four bits (RFC 9110, 8.4.1.2).
  deflate: (body, options) =>
    ((body[0] ?? 0) & 0x0f) === 8 ? inflateSync(body, options) : inflateRawSync(body, options),
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}

/** Content codings of a body in lower case, in the order in which they were applied (RFC 9110, 8.4). */
export function contentCodings(headers: ResponseHeaders): string[] {
  return [headers['content-encoding'] ?? '']
    .flat()
    .flatMap((value) => value.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
}

/**
 * Decodes a body. A server may choose a content coding even if the request names none (RFC 9110, 12.5.3).
 * @param largest size after decoding, in bytes
 * @throws if the body cannot be decoded, or is larger (code ERR_BUFFER_TOO_LARGE)
 */
export function decoded(body: Buffer, headers: ResponseHeaders, largest: number): Buffer {
  if (body.length === 0) return body
  return contentCodings(headers).reduceRight(
    (encoded, coding) => decoders[coding]?.(encoded, { maxOutputLength: largest }) ?? encoded,
    body,
  )
}
