import type { IncomingHttpHeaders } from 'node:http'
import type { Observation } from '../../src/check/result.ts'
import { isWord } from '../../src/evidence/words.ts'
import { HttpResponse, mediaTypeOf } from '../../src/http/response.ts'
import { counted } from '../../src/text/format.ts'
import { is429, type LoadResponse } from '../engine/shot.ts'
import { findingOf, type Probe, type ProbeContext } from './probe.ts'

/** What does a 429 contain? Sends one request after another until one is throttled. */
export const anatomy: Probe = async (context) => {
  context.phase('one request after another, until a 429')
  const { sentBefore429, last } = await context.until429()
  if (!last?.response || !is429(last.shot))
    return {
      finding: `none of ${counted(sentBefore429, 'request')} was throttled`,
      observations: { throttled: false },
    }
  const form = formOf(last.response)
  const throttled = `the ${ordinal(sentBefore429 + 1)} request of the probe was throttled${recentText(context)}`
  const parts = `Retry-After ${form['retry-after']}, body: ${form.body}`
  return {
    ...findingOf(`${throttled}, ${parts}`, ...context.unfreshNotes),
    observations: { throttled: true, ...form },
  }
}

/** Largest age of earlier requests that the finding mentions, in milliseconds. */
const recentMs = 60_000

/** Mentions requests shortly before the probe, such as those of a login: a limit may count them, too. */
function recentText({ earlier, engine }: ProbeContext): string {
  const start = engine.shots[0]?.sentAt ?? 0
  const recent = earlier.filter((at) => start - at < recentMs).length
  return recent === 0
    ? ''
    : ` (the limit may also count ${counted(recent, 'request')} sent in the minute before the probe)`
}

function formOf({ status, headers, text }: LoadResponse): Record<string, Observation['value']> {
  return {
    'retry-after': retryAfterForm(headers['retry-after']),
    'ratelimit-fields': rateLimitFields(headers),
    'media-type': mediaTypeForm(headers['content-type']),
    body: bodyForm(new HttpResponse(status, headers, text)),
  }
}

/** The form of Retry-After (RFC 9110, 10.2.3), valid or not. */
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

/** Names of rate limit fields: those of the IETF draft (RateLimit, RateLimit-Policy) and older names. */
function rateLimitFields(headers: IncomingHttpHeaders): string[] {
  return (
    Object.keys(headers)
      .filter((name) => /^(x-)?ratelimit(-|$)|^retry-after-ms$/i.test(name))
      // The target chooses the names: text that is not a word is not recorded.
      .map((name) =>
        isWord(name) ? name : `${name.slice(0, name.indexOf('ratelimit') + 'ratelimit'.length)}-…`,
      )
      .sort()
  )
}

function mediaTypeForm(contentType: string | undefined): string {
  if (contentType === undefined) return 'none'
  const type = mediaTypeOf(contentType)
  return type.split(/[/+]/).every(isWord) ? type : 'in no known form'
}

function bodyForm({ text, json, object }: HttpResponse): string {
  if (text.trim() === '') return 'empty'
  if (json === undefined) return /^\s*</.test(text) ? 'HTML' : 'text'
  if (object === undefined) return 'JSON, but no object'
  const known = ['error', 'error_description', 'type', 'message'].filter((name) => name in object)
  return known.length > 0 ? `JSON with ${known.join(' and ')}` : 'JSON without error'
}

function ordinal(count: number): string {
  const ending = { one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' } as const
  return `${count}${ending[new Intl.PluralRules('en', { type: 'ordinal' }).select(count)]}`
}
