import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'dotenv'
import { z } from 'zod'
import { type OptionalEffect, optionalEffects } from './effects.ts'
import { type Problem, SetupError } from './problem.ts'
import { profiles, type TargetName, targetNames } from './profiles.ts'
import { checkHosts } from './safety.ts'
import type { Application, ClientCredentials, Target } from './target.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** An example for each variable, shown beside what is wrong with it. */
const examples: Readonly<Record<string, string>> = {
  IDP_BASE_URL: 'https://login.uat.example.com',
  PARTNER_API_URL: 'https://api.uat.example.com/partner',
  JWKS_URL: 'https://login.uat.example.com/jwks',
  PRODUCTION_HOSTS: 'login.example.com,api.example.com',
  CLIENT_ID: 'my-application',
  CLIENT_SECRET: '…',
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
  TEST_TOTP_SECRET: 'JBSWY3DPEHPK3PXP',
  HTTPS_PROXY: 'http://proxy.example.com:3128',
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

const url = z.string().refine((value) => URL.canParse(value), 'is not an absolute URL')
const secureUrl = url.refine(
  (value) =>
    !URL.canParse(value) || new URL(value).protocol === 'https:' || loopback.test(new URL(value).hostname),
  'must be an https: URL (http: is accepted for loopback addresses only)',
)
const positive = (what: string) => z.coerce.number(`is not ${what}`).positive(`must be greater than zero`)
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
const localDateTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?$/, 'is not a local date-time without a zone')
  .refine((value) => !Number.isNaN(Date.parse(`${value}Z`)), 'is not a date that exists')
const timeZone = z
  .string()
  .refine((value) => value === 'unknown' || isTimeZone(value), 'is not an IANA time zone')

const schema = z.object({
  TARGET: z.enum(targetNames, `is not one of ${targetNames.join(', ')}`),
  IDP_BASE_URL: secureUrl.refine((value) => !/[?#]/.test(value), 'must have neither query nor fragment'),
  PARTNER_API_URL: secureUrl.refine((value) => !/[?#]/.test(value), 'must have neither query nor fragment'),
  JWKS_URL: secureUrl.optional(),
  PRODUCTION_HOSTS: list.optional(),
  CLIENT_ID: z.string(),
  CLIENT_SECRET: z.string(),
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
  PARTNER_CLIENT_ID: z.string().optional(),
  PARTNER_CLIENT_SECRET: z.string().optional(),
  TEST_USER: z.string().optional(),
  TEST_PASSWORD: z.string().optional(),
  TEST_TOTP_SECRET: z
    .string()
    .regex(/^[A-Za-z2-7]+=*$/, 'is not a Base32 secret')
    .optional(),
  LOGIN_RECIPE: z.string().optional(),
  REQUIRED_ACR: z.string().optional(),
  ACR_ORDER: list.optional(),
  EVENT_TIME_ZONE: timeZone.default('unknown'),
  EVENT_WINDOW_FROM: localDateTime.optional(),
  EVENT_WINDOW_TO: localDateTime.optional(),
  SECOND_CLIENT_ID: z.string().optional(),
  SECOND_CLIENT_SECRET: z.string().optional(),
  SECOND_REDIRECT_URI: url.optional(),
  UNENTITLED_CLIENT_ID: z.string().optional(),
  UNENTITLED_CLIENT_SECRET: z.string().optional(),
  ENABLE: list.default([]),
  REQUESTS_PER_SECOND: positive('a number').optional(),
  REQUEST_BUDGET: count.optional(),
  LOGIN_BUDGET: count.optional(),
  LOAD_MAX_RATE: positive('a number').optional(),
  LOAD_MAX_REQUESTS: count.optional(),
  LOAD_MAX_SECONDS: positive('a number').optional(),
  ALLOW_PRODUCTION_LOAD: z.string().optional(),
  HTTPS_PROXY: url.optional(),
  NO_PROXY: z.string().default(''),
  CHROMIUM_PATH: z.string().optional(),
  REPORT_DIR: z.string().default('reports'),
})

type Variables = z.infer<typeof schema>

/**
 * The variables of a run: the process environment, then `.env.<target>`, then `.env`.
 * An empty value counts as not set.
 */
export function readEnvironment(targetName: string, env: Environment, directory: string): Environment {
  const merged: Record<string, string | undefined> = {}
  for (const layer of [envFile(directory, '.env'), envFile(directory, `.env.${targetName}`), env]) {
    for (const [name, value] of Object.entries(layer)) if (value?.trim()) merged[name] = value.trim()
  }
  return merged
}

/** The target that is meant: the option, then TARGET of the environment or `.env`, then embedded. */
export function targetNameFrom(option: string | undefined, env: Environment, directory: string): TargetName {
  const name = option ?? env['TARGET']?.trim() ?? envFile(directory, '.env')['TARGET'] ?? 'embedded'
  const known = targetNames.find((candidate) => candidate === name)
  if (known) return known
  throw new SetupError([
    {
      name: option === undefined ? 'TARGET' : '--target',
      what: `${JSON.stringify(name)} is not one of ${targetNames.join(', ')}`,
    },
  ])
}

/**
 * Validates the variables and makes a target of them. Sends nothing.
 * @throws {SetupError} one problem for each variable that is missing or wrong
 */
export function targetFrom(name: TargetName, env: Environment): Target {
  const parsed = schema.safeParse({ ...env, TARGET: name })
  const problems: Problem[] = []
  if (!parsed.success) {
    for (const issue of parsed.error.issues) problems.push(problemOf(issue, env, name))
    throw new SetupError(unique(problems))
  }
  const variables = parsed.data
  problems.push(...pairs(variables), ...enableProblems(name, variables.ENABLE), ...windowProblems(variables))
  if (
    variables.REQUIRED_ACR &&
    variables.ACR_ORDER &&
    !variables.ACR_ORDER.includes(variables.REQUIRED_ACR)
  ) {
    problems.push({ name: 'ACR_ORDER', what: 'does not contain the level that REQUIRED_ACR names' })
  }
  if (problems.length > 0) throw new SetupError(problems)
  const target = build(name, variables)
  checkHosts(target, variables.PRODUCTION_HOSTS)
  return target
}

function build(name: TargetName, v: Variables): Target {
  const profile = profiles[name]
  const application: Application = {
    id: v.CLIENT_ID,
    secret: v.CLIENT_SECRET,
    redirectUri: v.REDIRECT_URI,
    authMethod: v.CLIENT_AUTH_METHOD,
  }
  const second = credentials(v.SECOND_CLIENT_ID, v.SECOND_CLIENT_SECRET)
  const urls = [v.IDP_BASE_URL, v.PARTNER_API_URL, ...(v.JWKS_URL ? [v.JWKS_URL] : [])]
  return {
    name,
    issuer: v.IDP_BASE_URL,
    partnerApiUrl: v.PARTNER_API_URL.replace(/\/+$/, ''),
    ...(v.JWKS_URL && { jwksUrl: v.JWKS_URL }),
    application,
    ...(second && {
      secondApplication: {
        ...second,
        redirectUri: v.SECOND_REDIRECT_URI ?? v.REDIRECT_URI,
        authMethod: v.CLIENT_AUTH_METHOD,
      },
    }),
    scope: v.SCOPE,
    partner: credentials(v.PARTNER_CLIENT_ID, v.PARTNER_CLIENT_SECRET) ?? application,
    ...optional('unentitledPartner', credentials(v.UNENTITLED_CLIENT_ID, v.UNENTITLED_CLIENT_SECRET)),
    ...optional(
      'user',
      v.TEST_USER && v.TEST_PASSWORD
        ? { name: v.TEST_USER, password: v.TEST_PASSWORD, ...optional('totpSecret', v.TEST_TOTP_SECRET) }
        : undefined,
    ),
    ...optional('loginRecipe', v.LOGIN_RECIPE),
    ...optional('requiredAcr', v.REQUIRED_ACR),
    ...optional('acrOrder', v.ACR_ORDER),
    eventTimeZone: v.EVENT_TIME_ZONE,
    ...optional(
      'eventWindow',
      v.EVENT_WINDOW_FROM && v.EVENT_WINDOW_TO
        ? { from: v.EVENT_WINDOW_FROM, to: v.EVENT_WINDOW_TO }
        : undefined,
    ),
    allowedEffects: [...new Set([...profile.allowed, ...(v.ENABLE as OptionalEffect[])])],
    hosts: [...new Set(urls.map((value) => new URL(value).host))],
    requestsPerSecond: v.REQUESTS_PER_SECOND ?? profile.requestsPerSecond,
    requestBudget: v.REQUEST_BUDGET ?? profile.requestBudget,
    loginBudget: v.LOGIN_BUDGET ?? profile.loginBudget,
    load: {
      maxRate: v.LOAD_MAX_RATE ?? profile.loadMaxRate,
      maxRequests: v.LOAD_MAX_REQUESTS ?? profile.loadMaxRequests,
      maxSeconds: v.LOAD_MAX_SECONDS ?? profile.loadMaxSeconds,
      productionAllowed: v.ALLOW_PRODUCTION_LOAD === new URL(v.IDP_BASE_URL).host,
    },
    reportDir: resolve(v.REPORT_DIR),
    ...optional('proxy', v.HTTPS_PROXY ? { url: v.HTTPS_PROXY, bypass: v.NO_PROXY } : undefined),
    ...optional('chromiumPath', v.CHROMIUM_PATH),
  }
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V }
}

function credentials(id: string | undefined, secret: string | undefined): ClientCredentials | undefined {
  return id && secret ? { id, secret } : undefined
}

function problemOf(issue: z.core.$ZodIssue, env: Environment, target: TargetName): Problem {
  const name = String(issue.path[0])
  const missing = env[name] === undefined
  const what = missing ? `is not set; it is needed for the target ${target}` : issue.message
  const example = examples[name]
  return { name, what, ...(example !== undefined && { example }) }
}

function unique(problems: readonly Problem[]): Problem[] {
  return problems.filter(
    (problem, index) => problems.findIndex(({ name }) => name === problem.name) === index,
  )
}

/** Variables that only make sense together. */
function pairs(v: Variables): Problem[] {
  const together: [string, string | undefined, string, string | undefined][] = [
    ['TEST_USER', v.TEST_USER, 'TEST_PASSWORD', v.TEST_PASSWORD],
    ['PARTNER_CLIENT_ID', v.PARTNER_CLIENT_ID, 'PARTNER_CLIENT_SECRET', v.PARTNER_CLIENT_SECRET],
    ['SECOND_CLIENT_ID', v.SECOND_CLIENT_ID, 'SECOND_CLIENT_SECRET', v.SECOND_CLIENT_SECRET],
    ['UNENTITLED_CLIENT_ID', v.UNENTITLED_CLIENT_ID, 'UNENTITLED_CLIENT_SECRET', v.UNENTITLED_CLIENT_SECRET],
    ['EVENT_WINDOW_FROM', v.EVENT_WINDOW_FROM, 'EVENT_WINDOW_TO', v.EVENT_WINDOW_TO],
  ]
  return together.flatMap(([a, valueA, b, valueB]) => {
    if ((valueA === undefined) === (valueB === undefined)) return []
    const [missing, present] = valueA === undefined ? [a, b] : [b, a]
    return [{ name: missing, what: `is not set, but ${present} is; set both or neither` }]
  })
}

function enableProblems(name: TargetName, wanted: readonly string[]): Problem[] {
  const { mayEnable } = profiles[name]
  return wanted.flatMap((effect): Problem[] => {
    const known = optionalEffects.find((candidate) => candidate === effect)
    if (!known) {
      return [
        {
          name: 'ENABLE',
          what: `names ${JSON.stringify(effect)}, which is not one of ${optionalEffects.join(', ')}`,
        },
      ]
    }
    if (!mayEnable.includes(known)) {
      return [
        { name: 'ENABLE', what: `names ${effect}, which is never allowed on the target ${name}; remove it` },
      ]
    }
    return []
  })
}

function windowProblems(v: Variables): Problem[] {
  if (v.EVENT_WINDOW_FROM === undefined || v.EVENT_WINDOW_TO === undefined) return []
  const length = Date.parse(`${v.EVENT_WINDOW_TO}Z`) - Date.parse(`${v.EVENT_WINDOW_FROM}Z`)
  if (length <= 0) return [{ name: 'EVENT_WINDOW_TO', what: 'must be later than EVENT_WINDOW_FROM' }]
  return []
}

function isTimeZone(value: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return true
  } catch {
    return false
  }
}

function envFile(directory: string, name: string): Record<string, string> {
  try {
    return parse(readFileSync(resolve(directory, name)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new SetupError([
      { name, what: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})` },
    ])
  }
}
