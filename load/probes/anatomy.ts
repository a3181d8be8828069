import type { IncomingHttpHeaders } from 'node:http'
import { isWord } from '../../src/evidence/words.ts'
import { counted } from '../../src/text/format.ts'
import type { Answer } from '../engine/shot.ts'
import type { ObservedValue } from '../result.ts'
import type { Bench, Probe } from './bench.ts'

/** What a 429 looks like: one request after another until one is throttled, and a look at that one. */
export const anatomy: Probe = {
  name: 'anatomy',
  question: 'what does a 429 look like?',
  async run(bench) {
    bench.phase('one request after another, until a 429')
    const { admitted, last } = await bench.untilThrottled()
    if (last?.shot.status !== 429 || !last.answer)
      return { finding: `none of ${admitted} requests was throttled`, observations: { throttled: false } }
    const observations = formOf(last.answer)
    return {
      finding: `the ${ordinal(admitted + 1)} request of the probe was throttled${earlier(bench)}, with ${inWords(observations)}`,
      observations: { throttled: true, ...observations },
    }
  },
}

/** What was sent before may have counted too. */
function earlier({ before }: Bench): string {
  return before === 0
    ? ''
    : ` (${counted(before, 'request')} to prepare ${before === 1 ? 'was' : 'were'} sent before)`
}

function inWords({ 'retry-after': retryAfter, body }: Record<string, ObservedValue>): string {
  return `Retry-After ${retryAfter}, and a body that is ${body}`
}

/** The form of an answer: nothing of its contents but what may be compared between runs. */
function formOf({ headers, text }: Answer): Record<string, ObservedValue> {
  return {
    'retry-after': retryAfterForm(headers['retry-after']),
    'ratelimit-fields': rateLimitFields(headers),
    'media-type': mediaType(headers['content-type']),
    body: bodyForm(text),
  }
}

/** How Retry-After is written (RFC 9110, 10.2.3), and how it must not be. */
export function retryAfterForm(value: string | readonly string[] | undefined): string {
  if (value === undefined) return 'absent'
  if (typeof value !== 'string') return 'sent more than once'
  const text = value.trim()
  if (text === '') return 'empty'
  if (/^\d+$/.test(text)) return Number(text) === 0 ? 'of no seconds' : 'in seconds'
  if (/^-\d+$/.test(text)) return 'negative'
  if (/^\d*\.\d+$/.test(text)) return 'fractional'
  if (/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/.test(text)) return 'as a date'
  return text.includes(',') ? 'as a list' : 'in no known form'
}

/** Names of fields that tell of limits: those of the draft (RateLimit, RateLimit-Policy), and those before it. */
function rateLimitFields(headers: IncomingHttpHeaders): string[] {
  return (
    Object.keys(headers)
      .filter((name) => /^(x-)?ratelimit(-|$)|^retry-after-ms$/i.test(name))
      // Names are written by the target, which may make them of anything.
      .map((name) =>
        isWord(name) ? name : `${name.slice(0, name.indexOf('ratelimit') + 'ratelimit'.length)}-…`,
      )
      .sort()
  )
}

function mediaType(value: string | undefined): string {
  const type = value?.split(';')[0]?.trim().toLowerCase() ?? 'none'
  return type.split(/[/+]/).every(isWord) ? type : 'in no known form'
}

function bodyForm(text: string): string {
  if (text.trim() === '') return 'empty'
  try {
    const body: unknown = JSON.parse(text)
    if (body === null || typeof body !== 'object' || Array.isArray(body)) return 'JSON, but no object'
    const known = ['error', 'error_description', 'type', 'message'].filter((name) => name in body)
    return known.length > 0 ? `JSON with ${known.join(' and ')}` : 'JSON without error'
  } catch {
    return /^\s*</.test(text) ? 'HTML' : 'text'
  }
}

function ordinal(count: number): string {
  const ending = { one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' } as const
  return `${count}${ending[new Intl.PluralRules('en', { type: 'ordinal' }).select(count)]}`
}
