import { maxClockOffsetMs } from '../check/clock.ts'
import { describe, quotedOrMasked } from '../check/expect.ts'
import type { CheckContext } from '../check/fixtures.ts'
import { shownAddress } from '../evidence/allow-list.ts'
import { otherAddresses } from '../oauth/endpoints.ts'
import { isSigningKey } from '../oauth/key-set.ts'
import { issuerOf } from '../target/parts.ts'
import type { Target } from '../target/target.ts'
import { counted } from '../text/format.ts'
import { type Diagnosis, diagnose, unexpected } from './diagnosis.ts'
import { unlistedScopes } from './scope.ts'

/** The advice if JWKS_URL is not the address of the right key set. */
export const correctJwksUrl = 'correct JWKS_URL, or unset it: Plumbline then uses the address in discovery'

/** What the user must compare an issuer with. */
const agreedIssuer = "the issuer in the provider's onboarding letter, or with iss of an ID token"

/** The parts in which two addresses differ: `they differ in the port`. */
function differenceBetween(one: string, other: string): string {
  const parts = [
    ['scheme', ({ protocol }: URL) => protocol],
    ['host', ({ hostname }: URL) => hostname],
    ['port', ({ port }: URL) => port],
    ['path', ({ pathname }: URL) => pathname.replace(/\/$/, '')],
  ] as const
  const [first, second] = [URL.parse(one), URL.parse(other)]
  const different = first && second ? parts.filter(([, partOf]) => partOf(first) !== partOf(second)) : []
  if (different.length > 0) return `they differ in the ${different.map(([name]) => name).join(' and the ')}`
  return one.endsWith('/') === other.endsWith('/')
    ? 'they differ in their spelling'
    : 'they differ in the trailing slash'
}

/** Examines discovery, and the clock by the Date header of its response. */
export async function examineDiscovery({ run, discovery }: CheckContext): Promise<Diagnosis[]> {
  const response = await discovery.response()
  const clock = clockDiagnosis(run.http.clockOffsetMs)
  const variables = ['IDP_BASE_URL']
  if (response.status !== 200 || !response.object) {
    const what = `there is no discovery document at IDP_BASE_URL followed by /.well-known/openid-configuration: ${describe(response)}`
    const advice = `compare the scheme, host, port and path of IDP_BASE_URL with ${agreedIssuer}; if all are equal, ask the operators of the target`
    return [diagnose.error('discovery', what, variables, advice), clock]
  }
  const available = diagnose.ok('discovery', 'the discovery document is available', variables)
  const { issuer } = response.object
  if (typeof issuer === 'string' && issuer !== run.target.issuer) {
    const configured = issuerOf(run.target)
    const what = `the issuer of discovery is ${quotedOrMasked(issuer)}, but IDP_BASE_URL is ${quotedOrMasked(configured)}: ${differenceBetween(issuer, configured)}`
    const advice = `compare both with ${agreedIssuer}: if discovery is right, set IDP_BASE_URL to its issuer, character for character; if IDP_BASE_URL is right, discovery is wrong: DISCOVERY-ISSUER records that`
    return [available, diagnose.warning('discovery', what, variables, advice), clock]
  }
  return [
    available,
    ...addressDiagnoses(run.target, response.object),
    ...unlistedScopes(run.target.scope, response.object),
    clock,
  ]
}

function addressDiagnoses(target: Target, metadata: Readonly<Record<string, unknown>>): Diagnosis[] {
  const others = otherAddresses(target, metadata)
  if (others === undefined) return []
  const advice =
    'ignore this if the documented addresses work; if they respond with 404, have the operators of the target serve them'
  return [diagnose.warning('discovery', `discovery lists ${others}`, [], advice)]
}

function clockDiagnosis(offsetMs: number | undefined): Diagnosis {
  if (offsetMs === undefined) {
    const why = 'the responses of the target have no Date header, so clocks cannot be compared'
    return diagnose.skipped('clock', why)
  }
  const [offset, roundingMs] = [Math.abs(offsetMs), 500]
  const limit = Math.floor((offset + roundingMs) / 1000) + 1
  if (offset <= maxClockOffsetMs)
    return diagnose.ok('clock', `the clocks of this machine and the target differ by less than ${limit} s`)
  const seconds = counted(Math.round(offset / 1000), 'second')
  const side = offsetMs < 0 ? 'ahead of' : 'behind'
  const advice =
    'synchronise the clock of this machine (NTP); if it is correct, ask the operators of the target. Until then, checks of token times are inconclusive'
  const what = `the clock of this machine is ${seconds} ${side} that of the target`
  return diagnose.error('clock', what, [], advice)
}

/** Examines whether the key set has keys to verify tokens. */
export async function examineKeySet({ run, discovery }: CheckContext): Promise<Diagnosis> {
  const variables = run.target.jwksUrl === undefined ? [] : ['JWKS_URL']
  const response = await discovery.keySet()
  if (response.status !== 200 && variables.length > 0)
    return diagnose.error(
      'key set',
      `there is no key set at JWKS_URL: ${describe(response)}`,
      variables,
      correctJwksUrl,
    )
  const [source = 'discovery'] = variables
  const keySet = `the key set at ${shownAddress(await discovery.keySetUrl())} (${source})`
  const keys = (await discovery.publishedKeys()).filter(isSigningKey)
  return keys.length > 0
    ? diagnose.ok('key set', `${keySet} has ${counted(keys.length, 'signing key')}`, variables)
    : unexpected('key set', `${keySet} has no signing key`, 'KEYSET-RS256', run.target.name, variables)
}
