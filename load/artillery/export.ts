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
  /** How many run the scenario at once: Lambda functions, machines. */
  readonly workers: number
  /** Duration of each run. */
  readonly seconds: number
}

/** The part of one worker. */
interface WorkerShare {
  readonly workers: number
  /** Requests, evenly spaced. */
  readonly arrivalCount: number
  /** Connections, each with one request at a time. */
  readonly maxVusers: number
  readonly seconds: number
}

const processor = fileURLToPath(new URL('processor.mjs', import.meta.url))

/**
 * Writes an Artillery scenario into a directory: probe.yml, processor.mjs, README.md. Nothing is sent, and no secret is
 * written: secrets come from the environment where it runs.
 * @throws {SetupError} for an endpoint that cannot be exported, and where LOAD_MAX_REQUESTS leaves too little for each
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
 * @throws {SetupError} where no request would be left for each
 */
export function divided(caps: Caps, workers: number, seconds: number): WorkerShare {
  const problems: Problem[] = []
  if (!Number.isInteger(workers) || workers < 1 || workers > maxConnections)
    problems.push({
      name: '--workers',
      what: `has to be a whole number from 1 to ${maxConnections}`,
      example: '2',
    })
  if (!(seconds > 0 && seconds <= caps.maxSeconds))
    problems.push({
      name: '--seconds',
      what: `has to be above 0 and at most ${caps.maxSeconds} (LOAD_MAX_SECONDS)`,
      example: String(caps.maxSeconds),
    })
  if (problems.length > 0) throw new SetupError(problems)
  const arrivalCount = Math.floor(Math.min(caps.maxRequests, caps.maxRate * seconds) / workers)
  if (arrivalCount < 1)
    throw new SetupError([
      {
        name: '--workers',
        what: `leaves no request for each: ${caps.maxRequests} requests (LOAD_MAX_REQUESTS), ${caps.maxRate} a second for ${seconds} s`,
      },
    ])
  return { workers, arrivalCount, maxVusers: Math.floor(maxConnections / workers), seconds }
}

/** A request as an Artillery template: secrets and personal data are names of variables. */
interface ScenarioRequest {
  readonly url: URL
  readonly query?: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** Environment variables. */
  readonly needs: readonly string[]
}

const variable = (name: string) => `{{ $processEnvironment.${name} }}`
/** A value that the processor makes for each request. */
const fresh = (name: string) => `{{ ${name} }}`

/**
 * The request of an endpoint, from the configuration alone.
 * @throws {SetupError} where the configuration is not enough
 */
function scenarioRequest(name: EndpointName, target: Target, now: Date): ScenarioRequest {
  const json = { Accept: 'application/json' }
  switch (name) {
    case 'discovery':
      return { url: endpoint(target, 'discovery'), headers: json, needs: [] }
    case 'key-set':
      if (target.jwksUrl === undefined)
        throw new SetupError([
          {
            name: 'JWKS_URL',
            what: 'is needed to export the key set: nothing is sent to find it',
            example: 'https://login.uat.example.com/jwks',
          },
        ])
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
      throw new SetupError([
        {
          name: '--endpoint',
          what: 'names token, which cannot be exported: each refresh needs the token of the one before, which workers do not share',
          example: 'event-search',
        },
      ])
  }
}

/** A minute that is past in every time zone. */
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
              // A redirect that is followed would be one more request.
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
    `# For ${counted(workers, 'worker')}: ${workers} x ${arrivalCount} requests at most, in ${seconds} s. More workers or a`,
    '# second run would exceed the budget: export anew.',
    stringify(scenario, { lineWidth: 0 }),
  ].join('\n')
}

/** README.md: the most that the scenario does, and how to run it. */
function readme(name: EndpointName, { url, needs }: ScenarioRequest, share: WorkerShare): string {
  const { workers, arrivalCount, maxVusers, seconds } = share
  return `# Load probe of ${name} at ${url.host}

Each of ${counted(workers, 'worker')} sends at most ${counted(arrivalCount, 'request')} in ${seconds} s over ${counted(maxVusers, 'connection')}:
${workers * arrivalCount} in all. After a 429 or 503 a worker sends nothing before the wait that it was asked for is over.
Run it once, with ${counted(workers, 'worker')} and no more. For anything else export it again with the budget that is left.

${needs.length === 0 ? 'It needs no variables.' : `It needs ${needs.join(', ')} in the environment.`}

Here, as one worker:

    npx artillery run probe.yml

On AWS Lambda:

    npx artillery run-lambda --region eu-north-1 --count ${workers}${needs.length === 0 ? '' : ' --dotenv probe.env'} probe.yml

Every worker leaves a file \`records-<worker>.jsonl\` where it runs (or in PLUMBLINE_RECORDS); on Lambda the same lines are
in the function's log. Bring them back with

    npx plumbline probe --import records-*.jsonl

The form of the lines, and how to get them out of the log, is in Plumbline's docs/probes-artillery.md.
`
}
