import type { Authorization } from '../check/authorization-steps.ts'
import { describeLanding, errorOf } from '../check/landing.ts'
import { refusedByConfiguration } from '../check/refused-by-configuration.ts'
import type { Target } from '../target/target.ts'
import { type Finding, finding, judgedBy, type Topic } from './finding.ts'
import { variablesIn } from './troubles.ts'

/** Which variables an error of the authorization endpoint speaks of, the likeliest first. */
const blamed: Readonly<Record<string, readonly string[]>> = {
  invalid_scope: ['SCOPE'],
  redirect_uri_mismatch: ['REDIRECT_URI'],
  unauthorized_client: ['CLIENT_ID'],
  invalid_client: ['CLIENT_ID'],
  invalid_request: ['REDIRECT_URI', 'CLIENT_ID', 'SCOPE'],
}

const advices: Readonly<Record<string, string>> = {
  REDIRECT_URI:
    'have REDIRECT_URI registered for the application, or use a registered one character for character (scheme, host, port, path, trailing slash)',
  CLIENT_ID: 'use the identifier of the application at this deployment',
  SCOPE: 'ask for scopes only that the application may have; openid has to be among them',
}

/** Whether the provider knows the application and its redirect URI, by where a good request of it ended. */
export function applicationFinding(topic: Topic, target: Target, { landing }: Authorization): Finding {
  const variables = ['CLIENT_ID', 'REDIRECT_URI']
  const refused = refusedByConfiguration(landing, target)
  const came = describeLanding(landing)
  if (refused !== undefined) {
    const named = namedBy(landing) ?? variablesIn(refused)
    const advice = named.flatMap((name) => advices[name] ?? [])
    return finding(topic, 'error', `an authorization request was refused: ${came}`, {
      variables: named,
      advice: advice.length > 0 ? advice.join('; ') : `check ${named.join(', ')}`,
    })
  }
  const error = errorOf(landing)
  if (landing.kind === 'page' || error !== undefined) {
    return finding(topic, 'unanswered', `an authorization request came to no login: ${came}`, {
      advice: judgedBy('AUTHZ-CODE-FLOW'),
    })
  }
  return finding(topic, 'ok', `CLIENT_ID is known, and REDIRECT_URI is registered: ${came}`, { variables })
}

function namedBy(landing: Authorization['landing']): readonly string[] | undefined {
  if (landing.kind === 'page') return landing.status === 404 ? undefined : ['REDIRECT_URI', 'CLIENT_ID']
  return blamed[errorOf(landing) ?? '']
}
