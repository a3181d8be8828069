import { describe, quoted } from '../check/expect.ts'
import { isSigningKey } from '../oauth/key-set.ts'
import type { Session } from '../run/session.ts'
import { counted } from '../text/format.ts'
import { correctJwksUrl, type Finding, finding, judgedBy } from './finding.ts'

/** Beyond this difference times of tokens cannot be judged, in milliseconds. */
const mostOffsetMs = 30_000

/** What the provider publishes without credentials: discovery, and by its answer the clock. */
export async function examineDiscovery({ run, context }: Session): Promise<Finding[]> {
  const response = await context.discovery.answer()
  const clock = clockFinding(run.http.clockOffsetMs)
  const variables = ['IDP_BASE_URL']
  if (response.status !== 200 || !response.object) {
    return [
      finding(
        'discovery',
        'error',
        `there is no discovery document below IDP_BASE_URL: ${describe(response)}`,
        {
          variables,
          advice:
            'IDP_BASE_URL is what stands before /.well-known/openid-configuration; where it is right, tell those who run the target',
        },
      ),
      clock,
    ]
  }
  const { issuer } = response.object
  if (typeof issuer === 'string' && issuer !== run.target.issuer) {
    return [
      finding(
        'discovery',
        'warning',
        `discovery says that the issuer is ${quoted(issuer)}, IDP_BASE_URL is ${quoted(run.target.issuer)}`,
        {
          variables,
          advice:
            'tokens are compared with IDP_BASE_URL byte for byte: set it to the issuer, trailing slash and all',
        },
      ),
      clock,
    ]
  }
  return [finding('discovery', 'ok', 'the discovery document is there', { variables }), clock]
}

function clockFinding(offsetMs: number | undefined): Finding {
  if (offsetMs === undefined)
    return finding('clock', 'skipped', 'the target tells no time by which clocks could be compared')
  const seconds = Math.round(Math.abs(offsetMs) / 1000)
  const side = offsetMs < 0 ? 'ahead of' : 'behind'
  if (Math.abs(offsetMs) <= mostOffsetMs) {
    return finding(
      'clock',
      'ok',
      `the clocks of this machine and the target differ by ${counted(seconds, 'second')} at most`,
    )
  }
  return finding(
    'clock',
    'error',
    `the clock of this machine is ${counted(seconds, 'second')} ${side} that of the target`,
    {
      advice:
        'set the clock of this machine by NTP; where it is right, tell those who run the target. Until then times of tokens cannot be judged',
    },
  )
}

/** Whether there are keys to verify tokens with. */
export async function examineKeySet({ run, context }: Session): Promise<Finding> {
  const variables = run.target.jwksUrl === undefined ? [] : ['JWKS_URL']
  const response = await context.discovery.keySet()
  if (response.status !== 200 && run.target.jwksUrl !== undefined) {
    return finding('key set', 'error', `there is no key set at JWKS_URL: ${describe(response)}`, {
      variables,
      advice: correctJwksUrl,
    })
  }
  const keys = (await context.discovery.publishedKeys()).filter(isSigningKey)
  if (keys.length > 0)
    return finding('key set', 'ok', `the key set has ${counted(keys.length, 'key')} for signatures`, {
      variables,
    })
  return finding('key set', 'unanswered', 'the key set has no key for signatures', {
    variables,
    advice: judgedBy('KEYSET-RS256'),
  })
}
