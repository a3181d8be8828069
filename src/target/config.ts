import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'dotenv'
import { closest, distance } from 'fastest-levenshtein'
import type { z } from 'zod'
import { type OptionalEffect, optionalEffects } from './effects.ts'
import { type Problem, SetupError } from './problem.ts'
import { profiles, type TargetName, targetNames } from './profiles.ts'
import { checkHosts, isLoopback } from './safety.ts'
import type { Application, ClientCredentials, Target } from './target.ts'
import { exampleOf, schema, type Variables } from './variables.ts'

export type Environment = Readonly<Record<string, string | undefined>>

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
  const name = option ?? (env.TARGET?.trim() || envFile(directory, '.env').TARGET?.trim() || 'embedded')
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
  const problems: Problem[] = [...pairs(env), ...productionProblems(name, env)]
  if (!parsed.success) {
    throw refusal(
      [...parsed.error.issues.map((issue) => problemOf(issue, env, name)), ...problems],
      name,
      env,
    )
  }
  const variables = parsed.data
  problems.push(
    ...enableProblems(name, variables.ENABLE),
    ...windowProblems(variables),
    ...webhookProblems(variables),
  )
  if (
    variables.REQUIRED_ACR &&
    variables.ACR_ORDER &&
    !variables.ACR_ORDER.includes(variables.REQUIRED_ACR)
  ) {
    problems.push({
      name: 'ACR_ORDER',
      what: `does not contain ${variables.REQUIRED_ACR}, which REQUIRED_ACR names; add it at its place, weakest first`,
    })
  }
  if (problems.length > 0) throw refusal(problems, name, env)
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
    ...optional(
      'secondUser',
      v.SECOND_TEST_USER && v.SECOND_TEST_PASSWORD
        ? { name: v.SECOND_TEST_USER, password: v.SECOND_TEST_PASSWORD }
        : undefined,
    ),
    ...optional('loginRecipe', v.LOGIN_RECIPE),
    ...optional('claimRecipe', v.CLAIM_RECIPE),
    ...optional('requiredAcr', v.REQUIRED_ACR),
    ...optional('acrOrder', v.ACR_ORDER),
    eventTimeZone: v.EVENT_TIME_ZONE,
    ...optional(
      'eventWindow',
      v.EVENT_WINDOW_FROM && v.EVENT_WINDOW_TO
        ? { from: v.EVENT_WINDOW_FROM, to: v.EVENT_WINDOW_TO }
        : undefined,
    ),
    ...optional(
      'webhookReceiver',
      v.WEBHOOK_RECEIVER_URL !== undefined || name === 'embedded'
        ? { ...optional('url', v.WEBHOOK_RECEIVER_URL), ...optional('port', v.WEBHOOK_RECEIVER_PORT) }
        : undefined,
    ),
    ...optional('webhookClockUrl', v.WEBHOOK_CLOCK_URL),
    ...optional('seed', v.SEED),
    allowedEffects: [...new Set([...profile.allowed, ...(v.ENABLE as OptionalEffect[])])],
    hosts: [...new Set(urls.map((value) => new URL(value).host))],
    requestsPerSecond: v.REQUESTS_PER_SECOND ?? profile.requestsPerSecond,
    requestBudget: v.REQUEST_BUDGET ?? profile.requestBudget,
    loginBudget: v.LOGIN_BUDGET ?? profile.loginBudget,
    load: {
      maxRate: v.LOAD_MAX_RATE ?? profile.loadMaxRate,
      maxRequests: v.LOAD_MAX_REQUESTS ?? profile.loadMaxRequests,
      maxSeconds: v.LOAD_MAX_SECONDS ?? profile.loadMaxSeconds,
      productionHosts: v.ALLOW_PRODUCTION_LOAD ?? [],
      addresses: v.LOAD_SOURCE_ADDRESSES ?? [],
    },
    reportDir: resolve(v.REPORT_DIR),
    // A browser never sends loopback addresses through a proxy, and the embedded provider has no others.
    ...optional(
      'proxy',
      v.HTTPS_PROXY && !urls.every((value) => isLoopback(new URL(value).hostname))
        ? { url: v.HTTPS_PROXY, bypass: v.NO_PROXY }
        : undefined,
    ),
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
  return { name, what: missing ? `is not set; it is needed for the target ${target}` : issue.message }
}

/** All problems at once, each with an example, and for what is missing the file to write it into. */
function refusal(problems: readonly Problem[], target: TargetName, env: Environment): SetupError {
  const missing = problems.some(({ name }) => env[name] === undefined)
  const otherwise = target === 'embedded' ? ' Without IDP_BASE_URL the embedded provider is started.' : ''
  return new SetupError(
    unique(problems).map((problem) => withExample(problem, target)),
    missing
      ? `What is missing belongs into .env.${target} here, or into the environment; .env.example explains it.${otherwise}`
      : undefined,
  )
}

function withExample(problem: Problem, target: TargetName): Problem {
  const example = problem.example ?? exampleOf(problem.name, target)
  return { ...problem, ...(example !== undefined && { example }) }
}

function unique(problems: readonly Problem[]): Problem[] {
  return problems.filter(
    (problem, index) => problems.findIndex(({ name }) => name === problem.name) === index,
  )
}

/** A production run needs the list of hosts it may talk to: those of its addresses. */
function productionProblems(name: TargetName, env: Environment): Problem[] {
  if (name !== 'production' || env.PRODUCTION_HOSTS !== undefined) return []
  const urls = [env.IDP_BASE_URL, env.PARTNER_API_URL, env.JWKS_URL ?? env.IDP_BASE_URL]
  const known = urls.every((url) => url !== undefined && URL.canParse(url))
  const hosts = known ? [...new Set(urls.map((url) => new URL(url ?? '').host))] : []
  return [
    {
      name: 'PRODUCTION_HOSTS',
      what: 'is not set; a production run needs the list of hosts it may talk to',
      ...(hosts.length > 0 && { example: hosts.join(',') }),
    },
  ]
}

/** Variables that only make sense together. */
function pairs(v: Environment): Problem[] {
  const together: [string, string | undefined, string, string | undefined][] = [
    ['TEST_USER', v.TEST_USER, 'TEST_PASSWORD', v.TEST_PASSWORD],
    ['SECOND_TEST_USER', v.SECOND_TEST_USER, 'SECOND_TEST_PASSWORD', v.SECOND_TEST_PASSWORD],
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

/** The control of a clock is a request like any other, and goes to no other host. */
function webhookProblems(v: Variables): Problem[] {
  if (v.WEBHOOK_CLOCK_URL === undefined) return []
  const hosts = [v.IDP_BASE_URL, v.PARTNER_API_URL].map((value) => new URL(value).host)
  const { host } = new URL(v.WEBHOOK_CLOCK_URL)
  if (hosts.includes(host)) return []
  return [
    {
      name: 'WEBHOOK_CLOCK_URL',
      what: `points to ${host}, which is neither the host of IDP_BASE_URL nor that of PARTNER_API_URL`,
    },
  ]
}

function windowProblems(v: Variables): Problem[] {
  if (v.EVENT_WINDOW_FROM === undefined || v.EVENT_WINDOW_TO === undefined) return []
  const length = Date.parse(`${v.EVENT_WINDOW_TO}Z`) - Date.parse(`${v.EVENT_WINDOW_FROM}Z`)
  if (length <= 0) return [{ name: 'EVENT_WINDOW_TO', what: 'must be later than EVENT_WINDOW_FROM' }]
  return []
}

function envFile(directory: string, name: string): Record<string, string> {
  try {
    const variables = parse(readFileSync(resolve(directory, name)))
    refuseMisspelt(name, Object.keys(variables))
    return variables
  } catch (error) {
    if (error instanceof SetupError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new SetupError([
      { name, what: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})` },
    ])
  }
}

/**
 * A variable with a slip in its name would count as not set, in silence. Other names may be other tools'.
 * @throws {SetupError} for names of a file that nearly are variables
 */
function refuseMisspelt(file: string, names: readonly string[]): void {
  const known = Object.keys(schema.shape)
  const problems = names.flatMap((name): Problem[] => {
    const nearest = closest(name, known)
    if (known.includes(name) || distance(name, nearest) > 2) return []
    return [{ name, what: `in ${file} is not a variable of Plumbline; ${nearest} may be meant` }]
  })
  if (problems.length > 0) throw new SetupError(problems)
}
