import { jsonExcess } from '../text/json.ts'
import { HttpFailure } from './failures.ts'

/** Limits of a response, far above any lawful one (docs/safety.md). Event pages have a separate limit of members. */
export const responseLimits = { bytes: 8 * 1024 * 1024, depth: 64, members: 20_000 }

/** Reads a body. @throws {HttpFailure} as soon as it is too large */
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

export function tooLarge(): HttpFailure {
  return new HttpFailure('unavailable', `the response is larger than ${responseLimits.bytes} bytes`)
}

/** @throws {HttpFailure} for JSON that nests too deep or contains too many values */
export function refuseExcess(text: string, members = responseLimits.members): void {
  if (!/^\s*[[{]/.test(text)) return
  const excess = jsonExcess(text, { depth: responseLimits.depth, members })
  if (excess !== undefined) throw new HttpFailure('unavailable', `the JSON of the response ${excess}`)
}
