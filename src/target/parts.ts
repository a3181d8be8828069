import { SetupError } from './problem.ts'
import type { Application, ClientCredentials, Target } from './target.ts'
import type { VariableName } from './variables.ts'

interface PartnerApi {
  readonly url: string
  readonly credentials: ClientCredentials
}

/** The parts of a target that checks may need, with the variables of each. */
export const variablesOf = {
  issuer: ['IDP_BASE_URL'],
  application: ['CLIENT_ID', 'CLIENT_SECRET', 'REDIRECT_URI'],
  partnerApiUrl: ['PARTNER_API_URL'],
  partner: ['PARTNER_CLIENT_ID', 'PARTNER_CLIENT_SECRET'],
  user: ['TEST_USER', 'TEST_PASSWORD'],
  secondApplication: ['SECOND_CLIENT_ID', 'SECOND_CLIENT_SECRET'],
  unentitledPartner: ['UNENTITLED_CLIENT_ID', 'UNENTITLED_CLIENT_SECRET'],
  requiredAcr: ['REQUIRED_ACR'],
  webhookReceiver: ['WEBHOOK_RECEIVER_URL'],
  claimRecipe: ['CLAIM_RECIPE'],
} as const satisfies Partial<Record<keyof Target, readonly VariableName[]>>

/** A part of a target that is undefined if its variables are not set. */
export type Part = keyof typeof variablesOf

/** The parts that a run needs by default. A run of selected areas needs only the parts of these areas. */
export const requiredParts = ['issuer', 'application'] as const
export type RequiredPart = (typeof requiredParts)[number]

/** The variables of the given parts that the target lacks. */
export function missingVariables(
  target: Partial<Pick<Target, Part>>,
  parts: readonly Part[],
): VariableName[] {
  return parts.flatMap((part) => (target[part] === undefined ? variablesOf[part] : []))
}

/** The issuer of a target. @throws {SetupError} if it is not set */
export function issuerOf({ issuer }: Pick<Target, 'issuer'>): string {
  return issuer ?? notSet('requests to the identity provider need it', variablesOf.issuer)
}

/** The application of a target. @throws {SetupError} if it is not set */
export function applicationOf({ application }: Pick<Target, 'application'>): Application {
  return application ?? notSet('authorization and token requests need it', variablesOf.application)
}

function notSet(why: string, names: readonly string[]): never {
  throw new SetupError(names.map((name) => ({ name, what: `is not set; ${why}` })))
}

/** The parts that every request to the partner API needs. */
export const partsOfPartnerApi = ['partnerApiUrl', 'partner'] as const

/**
 * The partner API of a target.
 * @throws {SetupError} if its address or its credentials are not set
 */
export function partnerApiOf(target: Pick<Target, 'partnerApiUrl' | 'partner'>): PartnerApi {
  const { partnerApiUrl, partner } = target
  if (partnerApiUrl !== undefined && partner !== undefined)
    return { url: partnerApiUrl, credentials: partner }
  return notSet('requests to the partner API need it', missingVariables(target, partsOfPartnerApi))
}
