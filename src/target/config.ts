import { resolve } from 'node:path'
import type { Environment } from './environment.ts'
import { type RequiredPart, requiredParts, variablesOf } from './parts.ts'
import { type Problem, SetupError } from './problem.ts'
import { profiles, type TargetName } from './profiles.ts'
import { hostProblem, isLoopback } from './safety.ts'
import type { Target } from './target.ts'
import { schema, type Values } from './validation.ts'
import { exampleOf, isVariable, type VariableName, variableNames } from './variables.ts'

/** The given parts, each with the start of a clause: `the target uat needs` in "is not set; the target uat needs it". */
export function neededBy(
  target: TargetName,
  parts: readonly RequiredPart[],
): ReadonlyMap<RequiredPart, string> {
  return new Map(parts.map((part) => [part, `the target ${target} needs`]))
}

/**
 * Validates the variables and builds a target, without any request.
 * @param required parts that the caller needs, each with the start of a clause, as from `neededBy`
 * @throws {SetupError} with a problem for each missing or invalid variable
 */
export function targetFrom(
  name: TargetName,
  env: Environment,
  required: ReadonlyMap<RequiredPart, string> = neededBy(name, requiredParts),
): Target {
  const parsed = schema.safeParse({ ...env, TARGET: name })
  const needed = new Map<VariableName, string>(
    [...required].flatMap(([part, needs]) => variablesOf[part].map((variable) => [variable, needs])),
  )
  const problems = [
    ...variableNames.flatMap((variable): Problem[] => {
      const needs = needed.get(variable)
      if (env[variable] === undefined && needs !== undefined)
        return [{ name: variable, what: `is not set; ${needs} it` }]
      const issue = parsed.error?.issues.find(({ path }) => path[0] === variable)
      return issue ? [{ name: variable, what: issue.message }] : []
    }),
    ...pairs.flatMap((pair) => pairProblem(pair, env)),
    ...productionProblem(name, env),
    ...(parsed.success ? relationProblems(name, parsed.data) : []),
  ]
  if (!parsed.success || problems.length > 0) throw configurationError(problems, name, env)
  const target = build(name, parsed.data)
  const problem = hostProblem(target)
  if (problem) throw new SetupError(problem)
  return target
}

function build(name: TargetName, v: Values): Target {
  const profile = profiles[name]
  const urls = [v.IDP_BASE_URL, v.PARTNER_API_URL, v.JWKS_URL]
    .filter((url) => url !== undefined)
    .map((url) => new URL(url))
  // Browsers never use a proxy for loopback addresses; requests without a browser must not either.
  const isLocal = urls.every(({ hostname }) => isLoopback(hostname))
  return {
    ...optionalParts(name, v),
    ...defined({ proxy: v.HTTPS_PROXY && !isLocal ? { url: v.HTTPS_PROXY, bypass: v.NO_PROXY } : undefined }),
    name,
    scope: v.SCOPE,
    eventTimeZone: v.EVENT_TIME_ZONE,
    allowedEffects: [...new Set([...profile.allowed, ...v.ENABLE])],
    hosts: [...new Set(urls.map(({ host }) => host))],
    productionHosts: v.PRODUCTION_HOSTS ?? [],
    requestsPerSecond: v.REQUESTS_PER_SECOND ?? profile.requestsPerSecond,
    requestBudget: v.REQUEST_BUDGET ?? profile.requestBudget,
    loginBudget: v.LOGIN_BUDGET ?? profile.loginBudget,
    longestLifetime: v.LONGEST_LIFETIME ?? profile.longestLifetime,
    codeLifetime: v.CODE_LIFETIME,
    loginTimeoutSeconds: v.LOGIN_TIMEOUT_SECONDS,
    load: {
      maxRate: v.LOAD_MAX_RATE ?? profile.loadMaxRate,
      maxRequests: v.LOAD_MAX_REQUESTS ?? profile.loadMaxRequests,
      maxSeconds: v.LOAD_MAX_SECONDS ?? profile.loadMaxSeconds,
      productionHosts: v.ALLOW_PRODUCTION_LOAD ?? [],
      addresses: v.LOAD_SOURCE_ADDRESSES ?? [],
    },
    reportDir: resolve(v.REPORT_DIR),
  }
}

const totpLogName = 'one-time-password.json'

function optionalParts(name: TargetName, v: Values) {
  const first = credentials(v.CLIENT_ID, v.CLIENT_SECRET)
  const second = credentials(v.SECOND_CLIENT_ID, v.SECOND_CLIENT_SECRET)
  const authMethod = v.CLIENT_AUTH_METHOD
  const secondRedirectUri = v.SECOND_REDIRECT_URI ?? v.REDIRECT_URI
  const user = account(v.TEST_USER, v.TEST_PASSWORD)
  const canReceiveWebhooks = v.WEBHOOK_RECEIVER_URL !== undefined || name === 'embedded'
  const [from, to] = [v.EVENT_WINDOW_FROM, v.EVENT_WINDOW_TO]
  return defined({
    issuer: v.IDP_BASE_URL,
    application: first && v.REDIRECT_URI ? { ...first, redirectUri: v.REDIRECT_URI, authMethod } : undefined,
    partnerApiUrl: v.PARTNER_API_URL?.replace(/\/+$/, ''),
    partner: credentials(v.PARTNER_CLIENT_ID, v.PARTNER_CLIENT_SECRET),
    jwksUrl: v.JWKS_URL,
    secondApplication:
      second && secondRedirectUri ? { ...second, redirectUri: secondRedirectUri, authMethod } : undefined,
    unentitledPartner: credentials(v.UNENTITLED_CLIENT_ID, v.UNENTITLED_CLIENT_SECRET),
    user: user && { ...user, ...secondFactor(name, v) },
    secondUser: account(v.SECOND_TEST_USER, v.SECOND_TEST_PASSWORD),
    loginRecipe: v.LOGIN_RECIPE,
    claimRecipe: v.CLAIM_RECIPE,
    requiredAcr: v.REQUIRED_ACR,
    acrOrder: v.ACR_ORDER,
    eventWindow: from && to ? { from, to } : undefined,
    webhookReceiver: canReceiveWebhooks
      ? defined({ url: v.WEBHOOK_RECEIVER_URL, port: v.WEBHOOK_RECEIVER_PORT })
      : undefined,
    webhookClockUrl: v.WEBHOOK_CLOCK_URL,
    seed: v.SEED,
    chromiumPath: v.CHROMIUM_PATH,
  })
}

/** The members that are not undefined. */
function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

function credentials(id: string | undefined, secret: string | undefined) {
  return id && secret ? { id, secret } : undefined
}

function account(name: string | undefined, password: string | undefined) {
  return name && password ? { name, password } : undefined
}

function secondFactor(name: TargetName, { TEST_TOTP_SECRET: totpSecret, REPORT_DIR }: Values) {
  if (totpSecret === undefined) return {}
  // Each embedded provider is new, so it has accepted no one-time password before.
  return name === 'embedded' ? { totpSecret } : { totpSecret, totpLog: resolve(REPORT_DIR, totpLogName) }
}

/** Contains the first problem of each variable, with an example, and advice if variables are missing. */
function configurationError(problems: readonly Problem[], target: TargetName, env: Environment): SetupError {
  const first = problems.filter(({ name }, index) => problems.findIndex((one) => one.name === name) === index)
  const embedded =
    target === 'embedded' && env.IDP_BASE_URL === undefined
      ? ' Without IDP_BASE_URL, Plumbline starts its embedded provider.'
      : ''
  return new SetupError(
    first.map((problem) => {
      const example = isVariable(problem.name) ? exampleOf(problem.name, target) : undefined
      return { ...defined({ example }), ...problem }
    }),
    // A problem with `variables` concerns a pair: the user may want to unset the other variable instead.
    problems.some(({ name, variables }) => env[name] === undefined && variables === undefined)
      ? `Put missing variables into .env.${target} in this directory, or into the environment; .env.example explains them.${embedded}`
      : undefined,
  )
}

/** PRODUCTION_HOSTS is required: without it, one wrong address would turn a UAT run into a run against production. */
function productionProblem(target: TargetName, env: Environment): Problem[] {
  const name = 'PRODUCTION_HOSTS'
  const value = (env[name] ?? '').trim()
  const isNone = value === 'none'
  const isSet = /[^\s,]/.test(value)
  if (target === 'uat' && !isSet) {
    const what = 'is not set; it lists the hosts that a uat run refuses'
    return [
      { name, what, advice: `list the hosts of production, or set ${name}=none if there is no production` },
    ]
  }
  if (target !== 'production' || (isSet && !isNone)) return []
  const urls = [env.IDP_BASE_URL, env.PARTNER_API_URL ?? env.IDP_BASE_URL, env.JWKS_URL ?? env.IDP_BASE_URL]
  const hosts = urls.flatMap((url = '') => (URL.canParse(url) ? [new URL(url).host] : []))
  const what = `is ${isNone ? 'none' : 'not set'}; a production run needs the list of hosts it may send requests to`
  return [{ name, what, ...(hosts.length === urls.length && { example: [...new Set(hosts)].join(',') }) }]
}

/** Variables that must be set together. */
const pairs: readonly (readonly [VariableName, VariableName])[] = [
  variablesOf.user,
  ['SECOND_TEST_USER', 'SECOND_TEST_PASSWORD'],
  variablesOf.partner,
  variablesOf.secondApplication,
  variablesOf.unentitledPartner,
  ['EVENT_WINDOW_FROM', 'EVENT_WINDOW_TO'],
]

function pairProblem([one, other]: (typeof pairs)[number], env: Environment): Problem[] {
  if ((env[one] === undefined) === (env[other] === undefined)) return []
  const [missing, present] = env[one] === undefined ? [one, other] : [other, one]
  return [
    {
      name: missing,
      what: `is not set, but ${present} is`,
      variables: [missing, present],
      advice: 'set both or neither',
    },
  ]
}

/** Problems of values that are valid separately, but not together. */
function relationProblems(name: TargetName, v: Values): Problem[] {
  const problems: Problem[] = []
  const forbidden = v.ENABLE.find((effect) => !profiles[name].mayEnable.includes(effect))
  if (forbidden) {
    const what = `contains ${forbidden}, which is never allowed on the target ${name}`
    problems.push({ name: 'ENABLE', what, advice: 'remove it' })
  }
  const [from, to] = [v.EVENT_WINDOW_FROM, v.EVENT_WINDOW_TO]
  if (from && to && Date.parse(`${to}Z`) <= Date.parse(`${from}Z`))
    problems.push({ name: 'EVENT_WINDOW_TO', what: 'must be later than EVENT_WINDOW_FROM' })
  // Requests to the clock may use only the hosts of the target.
  const hostOf = (url: string | undefined) => url && new URL(url).host
  const clock = hostOf(v.WEBHOOK_CLOCK_URL)
  if (clock && ![hostOf(v.IDP_BASE_URL), hostOf(v.PARTNER_API_URL)].includes(clock)) {
    const what = `points to ${clock}, which is neither the host of IDP_BASE_URL nor that of PARTNER_API_URL`
    problems.push({ name: 'WEBHOOK_CLOCK_URL', what })
  }
  if (v.SECOND_CLIENT_ID !== undefined && v.SECOND_CLIENT_ID === v.CLIENT_ID)
    problems.push({
      name: 'SECOND_CLIENT_ID',
      what: 'equals CLIENT_ID, but must identify another application',
      variables: ['SECOND_CLIENT_ID', 'CLIENT_ID'],
      advice: 'set the variables of a second application, or none of them',
    })
  if (v.REQUIRED_ACR && v.ACR_ORDER && !v.ACR_ORDER.includes(v.REQUIRED_ACR))
    problems.push({
      name: 'ACR_ORDER',
      what: `does not contain ${v.REQUIRED_ACR}, the value of REQUIRED_ACR`,
      variables: ['ACR_ORDER', 'REQUIRED_ACR'],
      advice: 'add it in its place, weakest level first',
    })
  return problems
}
