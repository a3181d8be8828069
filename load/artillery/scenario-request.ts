import { Temporal } from 'temporal-polyfill'
import { parseLocal } from '../../src/event-hub/local-time.ts'
import { endpoint } from '../../src/oauth/endpoints.ts'
import { SetupError } from '../../src/target/problem.ts'
import type { Target } from '../../src/target/target.ts'
import { type EndpointName, minuteSearch } from '../endpoints.ts'

/** A request as Artillery templates it: whatever is secret or belongs to a person is the name of a variable. */
export interface ScenarioRequest {
  readonly url: URL
  readonly query?: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** Variables of the environment that it takes. */
  readonly needs: readonly string[]
}

const variable = (name: string) => `{{ $processEnvironment.${name} }}`
/** A value that the processor makes anew for each request. */
const fresh = (name: string) => `{{ ${name} }}`

/**
 * The request of an endpoint, made from the configuration alone.
 * @throws {SetupError} where it cannot be
 */
export function scenarioRequest(name: EndpointName, target: Target, now: Date): ScenarioRequest {
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

/** A minute that is over in every time zone. */
function pastMinute({ eventWindow }: Target, now: Date) {
  const known = eventWindow && parseLocal(eventWindow.from)
  if (known) return known.at
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO('UTC')
    .toPlainDateTime()
  return today.subtract({ days: 2 }).round('minute')
}
