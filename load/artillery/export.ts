import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Temporal } from 'temporal-polyfill'
import { stringify } from 'yaml'
import { parseLocal } from '../../src/event-hub/local-time.ts'
import { endpoint } from '../../src/oauth/endpoints.ts'
import { type Problem, SetupError } from '../../src/target/problem.ts'
import type { Target } from '../../src/target/target.ts'
import { counted } from '../../src/text/format.ts'
import { type EndpointName, minuteSearch } from '../endpoints.ts'
import { maxConnections } from '../engine/connections.ts'
import type { Caps } from '../engine/guard.ts'
import { timeoutMs } from '../workload.ts'

interface ArtilleryExport {
  readonly endpoint: EndpointName
  /** Number of Lambda functions or machines that run the scenario at once. */
  readonly workers: number
  readonly seconds: number
}

interface WorkerShare {
  readonly workers: number
  /** Number of requests, evenly spaced. */
  readonly arrivalCount: number
  /** Number of connections, each with one request at a time. */
  readonly maxVusers: number
  readonly seconds: number
}

const processor = fileURLToPath(new URL('processor.mjs', import.meta.url))

/**
 * Writes an Artillery scenario to a directory: probe.yml, processor.mjs, README.md. The export sends no request and
 * writes no secret: the scenario reads secrets from the environment.
 * @throws {SetupError} for an endpoint that cannot be exported, or if LOAD_MAX_REQUESTS is too small for all workers
 */
export function exportArtillery(directory: string, target: Target, options: ArtilleryExport): WorkerShare {
  const share = divided(target.load, options.workers, options.seconds)
  const request = scenarioRequest(options.endpoint, target, new Date())
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'probe.yml'), scenarioYaml(options.endpoint, request, share))
  copyFileSync(processor, join(directory, 'processor.mjs'))
  writeFileSync(join(directory, 'README.md'), readme(options.endpoint, request, share))
  return share
}

/**
 * Divides the caps among workers that each run the whole scenario.
 * @throws {SetupError} if there is less than one request per worker
 */
export function divided(caps: Caps, workers: number, seconds: number): WorkerShare {
  const problems: Problem[] = []
  if (!Number.isInteger(workers) || workers < 1 || workers > maxConnections)
    problems.push({
      name: '--workers',
      what: `must be a whole number from 1 to ${maxConnections}`,
      example: '2',
    })
  if (!(seconds > 0 && seconds <= caps.maxSeconds))
    problems.push({
      name: '--seconds',
      what: `must be above 0 and at most ${caps.maxSeconds} (LOAD_MAX_SECONDS)`,
      example: String(caps.maxSeconds),
    })
  if (problems.length > 0) throw new SetupError(problems)
  const arrivalCount = Math.floor(Math.min(caps.maxRequests, caps.maxRate * seconds) / workers)
  if (arrivalCount < 1)
    throw new SetupError({
      name: '--workers',
      what: `leaves less than one request per worker: ${caps.maxRequests} requests (LOAD_MAX_REQUESTS), ${caps.maxRate} requests/s (LOAD_MAX_RATE) for ${seconds} s`,
    })
  return { workers, arrivalCount, maxVusers: Math.floor(maxConnections / workers), seconds }
}

/** A request as an Artillery template, with names of variables in place of secrets and personal data. */
interface ScenarioRequest {
  readonly url: URL
  readonly query?: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** Names of environment variables in the request. */
  readonly needs: readonly string[]
}

/** An environment variable in an Artillery template. */
const variable = (name: string) => `{{ $processEnvironment.${name} }}`
/** A value that the processor generates for each request. */
const fresh = (name: string) => `{{ ${name} }}`

/**
 * The request of an endpoint, from the configuration only.
 * @throws {SetupError} if the configuration is not sufficient
 */
function scenarioRequest(name: EndpointName, target: Target, now: Date): ScenarioRequest {
  const json = { Accept: 'application/json' }
  switch (name) {
    case 'discovery':
      return { url: endpoint(target, 'discovery'), headers: json, needs: [] }
    case 'key-set':
      if (target.jwksUrl === undefined)
        throw new SetupError({
          name: 'JWKS_URL',
          what: 'is required to export the key set, because an export sends no request to find it',
          example: 'https://login.uat.example.com/jwks',
        })
      return { url: new URL(target.jwksUrl), headers: json, needs: [] }
    case 'userinfo':
      return {
        url: endpoint(target, 'userinfo'),
        headers: { ...json, Authorization: `Bearer ${variable('ACCESS_TOKEN')}` },
        needs: ['ACCESS_TOKEN'],
      }
    case 'authorize':
      return {
        url: endpoint(target, 'authorization'),
        query: {
          response_type: 'code',
          client_id: variable('CLIENT_ID'),
          redirect_uri: variable('REDIRECT_URI'),
          scope: target.scope,
          state: fresh('state'),
          nonce: fresh('nonce'),
          code_challenge: fresh('challenge'),
          code_challenge_method: 'S256',
          prompt: 'none',
        },
        headers: { Accept: 'text/html' },
        needs: ['CLIENT_ID', 'REDIRECT_URI'],
      }
    case 'event-search':
      return {
        url: minuteSearch(target, pastMinute(target, now)),
        headers: {
          ...json,
          'X-Client-Id': variable('PARTNER_CLIENT_ID'),
          'X-Client-Secret': variable('PARTNER_CLIENT_SECRET'),
        },
        needs: ['PARTNER_CLIENT_ID', 'PARTNER_CLIENT_SECRET'],
      }
    case 'token':
      throw new SetupError({
        name: '--endpoint',
        what: 'is token, which cannot be exported: each refresh needs the token of the previous one, and workers do not share it',
        example: 'event-search',
      })
  }
}

/** The start of the event window, or of a minute that is in the past in every time zone. */
function pastMinute({ eventWindow }: Target, now: Date) {
  const known = eventWindow && parseLocal(eventWindow.from)
  if (known) return known.at
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO('UTC')
    .toPlainDateTime()
  return today.subtract({ days: 2 }).round('minute')
}

/** probe.yml: a constant arrival rate of one worker; processor.mjs admits each request. */
function scenarioYaml(name: EndpointName, request: ScenarioRequest, share: WorkerShare): string {
  const { workers, arrivalCount, maxVusers, seconds } = share
  const scenario = {
    config: {
      target: request.url.origin,
      http: { timeout: timeoutMs / 1000, pool: maxVusers },
      phases: [{ name, duration: seconds, arrivalCount, maxVusers }],
      processor: './processor.mjs',
      variables: {
        endpoint: name,
        share: arrivalCount,
        seconds,
        connections: maxVusers,
        needs: request.needs.join(','),
      },
    },
    scenarios: [
      {
        name,
        beforeScenario: 'arrive',
        onError: 'fail',
        flow: [
          {
            get: {
              url: request.url.pathname + request.url.search,
              ...(request.query && { qs: request.query }),
              headers: request.headers,
              // To follow a redirect, Artillery would send another request.
              followRedirect: false,
              beforeRequest: 'admit',
              afterResponse: 'record',
            },
          },
        ],
      },
    ],
  }
  return [
    `# For ${counted(workers, 'worker')}: at most ${workers} x ${arrivalCount} requests in ${seconds} s. More workers or a`,
    '# second run would exceed the budget: export again.',
    stringify(scenario, { lineWidth: 0 }),
  ].join('\n')
}

/** README.md: the limits of the scenario, and how to run it. */
function readme(name: EndpointName, { url, needs }: ScenarioRequest, share: WorkerShare): string {
  const { workers, arrivalCount, maxVusers, seconds } = share
  return `# Load probe of ${name} at ${url.host}

${workers === 1 ? 'The worker' : `Each of ${workers} workers`} sends at most ${counted(arrivalCount, 'request')} in ${seconds} s over ${counted(maxVusers, 'connection')}:
${workers * arrivalCount} in total. After a 429 or 503 a worker sends no request until Retry-After has elapsed. Run the
scenario once, with at most ${counted(workers, 'worker')}. To run it again, export it again with the remaining budget.

${needs.length === 0 ? 'The scenario needs no variables.' : `The scenario needs ${needs.join(', ')} in the environment.`}

On this machine, as one worker:

    npx artillery run probe.yml

On AWS Lambda:

    npx artillery run-lambda --region eu-north-1 --count ${workers}${needs.length === 0 ? '' : ' --dotenv probe.env'} probe.yml

Each worker writes \`records-<worker>.jsonl\` to its working directory (or to PLUMBLINE_RECORDS); on Lambda the same lines
are in the function's log. Import them:

    npx plumbline probe --import records-*.jsonl

Plumbline's docs/probes-artillery.md describes the format, and how to extract the lines from the log.
`
}
