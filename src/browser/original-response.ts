import { randomUUID } from 'node:crypto'
import type { Response } from 'playwright'
import { fieldsOf, type HeaderEntry } from './headers.ts'

/** Status of a response, and headers by name in lower case. */
export interface OriginalResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The target sent it to an earlier page of the run, and received no request this time. */
  readonly fromMemory?: true
  /** When its request was sent without the page, and how long it took. */
  readonly direct?: { readonly sentAt: number; readonly durationMs: number }
}

/** Name of the header with the original of an altered response, which no target can know. */
const name = `x-original-${randomUUID()}`

/** A header for an altered response, so that evidence and verdicts concern the original. */
export function markOriginal(response: {
  readonly status: number
  readonly headers: readonly HeaderEntry[]
  readonly fromMemory?: true
  readonly direct?: OriginalResponse['direct'] | undefined
}): HeaderEntry {
  // As in unaltered responses, whose headers are those before cookies are added.
  const { 'set-cookie': _, ...headers } = fieldsOf(response.headers)
  const { status, fromMemory, direct } = response
  const original: OriginalResponse = {
    status,
    headers,
    ...(fromMemory && { fromMemory }),
    ...(direct && { direct: { sentAt: direct.sentAt, durationMs: direct.durationMs } }),
  }
  return { name, value: encodeURIComponent(JSON.stringify(original)) }
}

/** A response as the target sent it. */
export function originalOf(response: Response): OriginalResponse {
  const headers = response.headers()
  const mark = headers[name]
  return mark === undefined
    ? { status: response.status(), headers }
    : (JSON.parse(decodeURIComponent(mark)) as OriginalResponse)
}
