import { isIP } from 'node:net'
import { z } from 'zod'
import { optionalEffects, targetNames } from './profiles.ts'
import { isLoopback } from './safety.ts'

// Schemas for the values of variables. Each message follows the name of a variable.

export const targetName = z.enum(targetNames, `is not one of ${targetNames.join(', ')}`)
export const text = z.string()
export const url = text.refine((value) => URL.canParse(value), 'is not an absolute URL')
export const webUrl = url.refine(
  (value) => /^https?:\/\//i.test(value),
  'must begin with https:// or http://',
)
export const secureUrl = webUrl
  .refine(
    parsed(({ protocol, hostname }) => protocol === 'https:' || isLoopback(hostname)),
    'must be an https: URL (http: is accepted for loopback addresses only)',
  )
  .refine(
    parsed(({ username, password }) => username + password === ''),
    'must not contain a user name or password',
  )
export const baseUrl = withoutQuery(secureUrl)
export const receiverUrl = withoutQuery(
  webUrl.refine(
    parsed(({ protocol }) => protocol === 'https:'),
    'must be an https: URL, since webhooks are delivered to https: only',
  ),
)
/** Client identifiers and secrets are sent in headers: VSCHAR of RFC 6749, appendix A. */
export const credential = text.regex(/^[\x20-\x7e]+$/, 'contains a character that is not printable ASCII')
export const base32 = text.regex(/^[A-Za-z2-7]+=*$/, 'is not a Base32 secret')
export const scope = text.refine((value) => value.split(' ').includes('openid'), 'must contain openid')
/** A rate in requests/s, or a duration in seconds. With less than one request in 100 s, a run would never end. */
export const positive = z.coerce.number('is not a number').min(0.01, 'must be at least 0.01')
/** A time limit in seconds. */
export const timeoutSeconds = z.coerce
  .number('is not a number')
  .min(1, 'must be at least 1')
  .max(600, 'must be at most 600')
export const count = z.coerce
  .number('is not a whole number')
  .int('is not a whole number')
  .min(0, 'must not be negative')
export const port = count.max(65_535, 'is not a port')
export const commaList = text.transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)
const effect = z.enum(optionalEffects, {
  error: ({ input }) =>
    `contains ${JSON.stringify(input)}, which is not one of ${optionalEffects.join(', ')}`,
})
export const effectList = commaList.pipe(z.array(effect))
/** Hosts in the form of `URL.host`: lower case, without the default port of https. `none` gives an empty list. */
export const hostList = commaList
  .transform((hosts) => (hosts.length === 1 && hosts[0] === 'none' ? [] : hosts))
  .refine(
    (hosts) => hosts.every((host) => hostOf(host) !== undefined),
    'is not a comma-separated list of hosts without scheme and path',
  )
  .transform((hosts) => hosts.map((host) => hostOf(host) ?? host))
export const addressList = commaList.refine(
  (addresses) => addresses.every((address) => isIP(address) > 0),
  'is not a comma-separated list of IP addresses',
)
export const localDateTime = text
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?$/, 'is not a local date-time without a zone')
  .refine(isDateTime, 'is not a date and time that exists')
export const timeZone = text.refine(
  (value) => value === 'unknown' || isTimeZone(value),
  'must be an IANA time zone, or the word `unknown`',
)
export const authMethod = z.enum(
  ['client_secret_basic', 'client_secret_post'],
  'is neither client_secret_basic nor client_secret_post',
)

/** Applies a rule to valid URLs only, because another rule already rejects invalid URLs. */
function parsed(rule: (value: URL) => boolean): (value: string) => boolean {
  return (value) => !URL.canParse(value) || rule(new URL(value))
}

function withoutQuery(schema: z.ZodString): z.ZodString {
  return schema.refine((value) => !/[?#]/.test(value), 'must have neither query nor fragment')
}

/** Whether a date exists: Date.parse would convert 30 February to March. */
function isDateTime(value: string): boolean {
  const time = Date.parse(`${value}Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19) === value.slice(0, 19)
}

/** The host in the form of `URL.host`; undefined if the text is not a host, with or without a port. */
function hostOf(value: string): string | undefined {
  if (/[/?#@\s\\]/.test(value) || !URL.canParse(`https://${value}`)) return undefined
  return new URL(`https://${value}`).host
}

function isTimeZone(value: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return true
  } catch {
    return false
  }
}
