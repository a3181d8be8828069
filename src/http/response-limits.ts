import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { jsonExcess } from '../text/json.ts'
import { HttpFailure } from './failures.ts'
import type { ResponseHeaders } from './response.ts'

/**
 * Limits of a response, far above what a conforming target sends (docs/safety.md): the size of its body, and the
 * depth of its JSON and the number of values in it (`members`). Event pages have a separate limit of values.
 */
export const responseLimits = { bytes: 8 * 1024 * 1024, depth: 64, members: 20_000 }

/** Reads a body. @throws {ExcessiveResponse} as soon as the part read is too large */
export async function readBody(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > responseLimits.bytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** A response beyond the limits. A request for less data, such as a smaller page, may succeed. */
export class ExcessiveResponse extends HttpFailure {
  constructor(message: string) {
    super('unavailable', message)
  }
}

export function tooLarge(): ExcessiveResponse {
  return new ExcessiveResponse(`the response is larger than ${responseLimits.bytes} bytes`)
}

/** @throws {ExcessiveResponse} for JSON that nests too deep or contains too many values */
export function refuseExcess(text: string, members = responseLimits.members): void {
  // Only a JSON array or object can exceed these limits.
  if (!/^\s*[[{]/.test(text)) return
  const excess = jsonExcess(text, { depth: responseLimits.depth, members })
  if (excess !== undefined) throw new ExcessiveResponse(`the JSON of the response ${excess}`)
}

type Decoder = (body: Buffer, options: { readonly maxOutputLength: number }) => Buffer

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  // Some servers omit the zlib header (RFC 9110, 8.4.1.2). If it is present, the low half of the first byte is 8.
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
 * Decodes a body. A server may choose a content coding even if the request names none (RFC 9110, 12.5.3). A coding
 * that Plumbline does not know is left as it is.
 * @param maxBytes maximum size after decoding
 * @throws if the body cannot be decoded, or exceeds `maxBytes` after decoding (code ERR_BUFFER_TOO_LARGE)
 */
export function decoded(body: Buffer, headers: ResponseHeaders, maxBytes: number): Buffer {
  if (body.length === 0) return body
  return contentCodings(headers).reduceRight(
    (encoded, coding) => decoders[coding]?.(encoded, { maxOutputLength: maxBytes }) ?? encoded,
    body,
  )
}
