import { isIP } from 'node:net'
import { z } from 'zod'
import { optionalEffects } from './effects.ts'
import { type TargetName, targetNames } from './profiles.ts'
import { isLoopback } from './safety.ts'

/** An example for each variable, shown beside what is wrong with it. */
export const examples: Readonly<Record<string, string>> = {
  IDP_BASE_URL: 'https://login.uat.example.com',
  PARTNER_API_URL: 'https://api.uat.example.com/partner',
  JWKS_URL: 'https://login.uat.example.com/jwks',
  PRODUCTION_HOSTS: 'login.example.com,api.example.com',
  CLIENT_ID: 'my-application',
  CLIENT_SECRET: 'a-long-secret',
  PARTNER_CLIENT_ID: 'my-partner',
  PARTNER_CLIENT_SECRET: 'a-long-secret',
  SECOND_CLIENT_ID: 'my-second-application',
  SECOND_CLIENT_SECRET: 'a-long-secret',
  SECOND_REDIRECT_URI: 'https://partner.example.com/second/callback',
  UNENTITLED_CLIENT_ID: 'partner-without-events',
  UNENTITLED_CLIENT_SECRET: 'a-long-secret',
  TEST_USER: 'tester@example.com',
  TEST_PASSWORD: 'a-password',
  CLIENT_AUTH_METHOD: 'client_secret_basic',
  REDIRECT_URI: 'https://partner.example.com/callback',
  SCOPE: 'openid',
  ACR_ORDER: 'level1,level2',
  EVENT_TIME_ZONE: 'Europe/Helsinki',
  EVENT_WINDOW_FROM: '2026-03-02T00:00:00.000',
  EVENT_WINDOW_TO: '2026-03-03T00:00:00.000',
  ENABLE: optionalEffects.join(','),
  REQUESTS_PER_SECOND: '5',
  REQUEST_BUDGET: '300',
  LOGIN_BUDGET: '10',
  LOAD_MAX_RATE: '5',
  LOAD_MAX_REQUESTS: '200',
  LOAD_MAX_SECONDS: '60',
  WEBHOOK_RECEIVER_URL: 'https://hooks.example.com/plumbline',
  WEBHOOK_RECEIVER_PORT: '8443',
  WEBHOOK_CLOCK_URL: 'https://api.uat.example.com/test/webhook-clock',
  SEED: '1',
  SECOND_TEST_USER: 'second.tester@example.com',
  SECOND_TEST_PASSWORD: 'a-password',
  ALLOW_PRODUCTION_LOAD: 'login.example.com,api.example.com',
  LOAD_SOURCE_ADDRESSES: '192.0.2.10,192.0.2.11',
  TEST_TOTP_SECRET: 'JBSWY3DPEHPK3PXP',
  HTTPS_PROXY: 'http://proxy.example.com:3128',
}

/** An example as a target of that kind would have it. */
export function exampleOf(variable: string, target: TargetName): string | undefined {
  const example = examples[variable]
  if (target === 'production') return example?.replace('.uat.', '.')
  return target === 'embedded'
    ? example?.replace(/https:\/\/\w+\.uat\.example\.com/, 'http://127.0.0.1:4000')
    : example
}

const url = z.string().refine((value) => URL.canParse(value), 'is not an absolute URL')
const webUrl = url.refine((value) => /^https?:\/\//i.test(value), 'must begin with https:// or http://')
const secureUrl = webUrl
  .refine(
    (value) =>
      !URL.canParse(value) || new URL(value).protocol === 'https:' || isLoopback(new URL(value).hostname),
    'must be an https: URL (http: is accepted for loopback addresses only)',
  )
  .refine(
    (value) => !URL.canParse(value) || new URL(value).username + new URL(value).password === '',
    'must not hold a user name or password',
  )
/** Client identifiers and secrets travel in headers: VSCHAR of RFC 6749, appendix A. */
const credential = z.string().regex(/^[\x20-\x7e]+$/, 'has a character that is not printable ASCII')
/** Requests or seconds; what is slower than a request in 100 seconds would never end. */
const rate = z.coerce.number('is not a number').min(0.01, 'must be at least 0.01')
const count = z.coerce
  .number('is not a whole number')
  .int('is not a whole number')
  .min(0, 'must not be negative')
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)
/** Hosts as `URL.host` writes them: lower case, without the default port of https. */
const hostList = list
  .refine(
    (hosts) => hosts.every((host) => hostOf(host) !== undefined),
    'is not a list of hosts without scheme and path',
  )
  .transform((hosts) => hosts.map((host) => hostOf(host) ?? host))
const localDateTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?$/, 'is not a local date-time without a zone')
  .refine(isDateTime, 'is not a date and time that exists')
const timeZone = z
  .string()
  .refine((value) => value === 'unknown' || isTimeZone(value), 'is neither unknown nor an IANA time zone')

/** Every variable of the contract, each judged by itself. */
export const schema = z.object({
  TARGET: z.enum(targetNames, `is not one of ${targetNames.join(', ')}`),
  IDP_BASE_URL: secureUrl.refine((value) => !/[?#]/.test(value), 'must have neither query nor fragment'),
  PARTNER_API_URL: secureUrl.refine((value) => !/[?#]/.test(value), 'must have neither query nor fragment'),
  JWKS_URL: secureUrl.optional(),
  PRODUCTION_HOSTS: hostList.optional(),
  CLIENT_ID: credential,
  CLIENT_SECRET: credential,
  CLIENT_AUTH_METHOD: z
    .enum(
      ['client_secret_basic', 'client_secret_post'],
      'is neither client_secret_basic nor client_secret_post',
    )
    .default('client_secret_basic'),
  REDIRECT_URI: url,
  SCOPE: z
    .string()
    .refine((value) => value.split(' ').includes('openid'), 'must contain openid')
    .default('openid'),
  PARTNER_CLIENT_ID: credential.optional(),
  PARTNER_CLIENT_SECRET: credential.optional(),
  TEST_USER: z.string().optional(),
  TEST_PASSWORD: z.string().optional(),
  SECOND_TEST_USER: z.string().optional(),
  SECOND_TEST_PASSWORD: z.string().optional(),
  TEST_TOTP_SECRET: z
    .string()
    .regex(/^[A-Za-z2-7]+=*$/, 'is not a Base32 secret')
    .optional(),
  LOGIN_RECIPE: z.string().optional(),
  CLAIM_RECIPE: z.string().optional(),
  REQUIRED_ACR: z.string().optional(),
  ACR_ORDER: list.optional(),
  EVENT_TIME_ZONE: timeZone.default('unknown'),
  EVENT_WINDOW_FROM: localDateTime.optional(),
  EVENT_WINDOW_TO: localDateTime.optional(),
  SECOND_CLIENT_ID: credential.optional(),
  SECOND_CLIENT_SECRET: credential.optional(),
  SECOND_REDIRECT_URI: url.optional(),
  UNENTITLED_CLIENT_ID: credential.optional(),
  UNENTITLED_CLIENT_SECRET: credential.optional(),
  WEBHOOK_RECEIVER_URL: webUrl
    .refine(
      (value) => !URL.canParse(value) || new URL(value).protocol === 'https:',
      'must be an https: URL, since webhooks go to no other',
    )
    .refine((value) => !/[?#]/.test(value), 'must have neither query nor fragment')
    .optional(),
  WEBHOOK_RECEIVER_PORT: count.max(65_535, 'is not a port').optional(),
  WEBHOOK_CLOCK_URL: secureUrl.optional(),
  ENABLE: list.default([]),
  REQUESTS_PER_SECOND: rate.optional(),
  REQUEST_BUDGET: count.optional(),
  LOGIN_BUDGET: count.optional(),
  LOAD_MAX_RATE: rate.optional(),
  LOAD_MAX_REQUESTS: count.optional(),
  LOAD_MAX_SECONDS: rate.optional(),
  ALLOW_PRODUCTION_LOAD: hostList.optional(),
  LOAD_SOURCE_ADDRESSES: list
    .refine((addresses) => addresses.every((address) => isIP(address) > 0), 'is not a list of IP addresses')
    .optional(),
  HTTPS_PROXY: webUrl.optional(),
  NO_PROXY: z.string().default(''),
  CHROMIUM_PATH: z.string().optional(),
  SEED: count.optional(),
  REPORT_DIR: z.string().default('reports'),
})

export type Variables = z.infer<typeof schema>

/** Date.parse moves the 30th of February into March. */
function isDateTime(value: string): boolean {
  const time = Date.parse(`${value}Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19) === value.slice(0, 19)
}

/** @returns undefined where the text is more or less than a host with or without port */
function hostOf(text: string): string | undefined {
  if (/[/?#@\s\\]/.test(text) || !URL.canParse(`https://${text}`)) return undefined
  return new URL(`https://${text}`).host
}

function isTimeZone(value: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return true
  } catch {
    return false
  }
}
