import type { HttpResponse } from '../../http/response.ts'
import { basicIsAmbiguous } from '../../oauth/client-authentication.ts'
import { applicationOf } from '../../target/parts.ts'
import type { Application } from '../../target/target.ts'
import { describe } from '../expect.ts'
import type { RunContext } from '../run-context.ts'
import { Inconclusive } from '../verdict.ts'

/** Refusals that may concern the application and not its request. */
const aboutClient: ReadonlySet<unknown> = new Set(['invalid_client', 'unauthorized_client', 'access_denied'])

/**
 * Whether the target may have refused a request because it locked the application after failed authentications, which
 * the specification does not forbid: one preceded the request, and no request was accepted in between.
 */
export function mayBeLocked(
  { provider }: Pick<RunContext, 'provider'>,
  { id }: Pick<Application, 'id'>,
  response: HttpResponse,
): boolean {
  const { status, object } = response
  const isAboutClient = status === 401 || status === 403 || aboutClient.has(object?.error)
  if (status < 400 || !isAboutClient) return false
  const { sentAt } = response.exchange
  const failed = provider.log.failedAuthentications.findLast(
    (one) => one.applicationId === id && one.response !== response && one.response.exchange.sentAt <= sentAt,
  )
  if (!failed) return false
  return !acceptances({ provider }, { id }).some(
    (acceptedAt) => acceptedAt >= failed.response.exchange.sentAt && acceptedAt <= sentAt,
  )
}

/** When Plumbline sent the accepted token requests of an application with its own credentials, in epoch milliseconds. */
function acceptances(
  { provider }: Pick<RunContext, 'provider'>,
  { id }: Pick<Application, 'id'>,
): readonly number[] {
  return provider.log.issued
    .filter(({ application }) => application?.id === id)
    .map(({ response }) => response.exchange.sentAt)
}

/** Whether the target accepted the credentials of an application in this run before it sent a response. */
export function wasAccepted(
  run: Pick<RunContext, 'provider'>,
  application: Pick<Application, 'id'>,
  { exchange: { sentAt } }: HttpResponse,
): boolean {
  return acceptances(run, application).some((acceptedAt) => acceptedAt < sentAt)
}

/** Whether the token endpoint does not accept the credentials of an application. */
export function refusesCredentials({ status, object }: HttpResponse): boolean {
  return status === 401 || object?.error === 'invalid_client'
}

/** Why a response to a code exchange has no tokens. */
export function withoutTokens(
  run: RunContext,
  application: Application,
  response: HttpResponse,
): Inconclusive {
  if (mayBeLocked(run, application, response)) return lockedClient(response)
  if (refusesCredentials(response) && wasAccepted(run, application, response))
    return new Inconclusive(
      `the target refused client credentials that it had accepted in this run (${describe(response)})`,
      ['TOKEN-CODE-EXCHANGE'],
    )
  if (refusesCredentials(response)) {
    const prefix = application.id === applicationOf(run.target).id ? '' : 'SECOND_'
    const encoding =
      application.authMethod === 'client_secret_basic' && basicIsAmbiguous(application)
        ? '. They contain characters that some servers expect form-encoded in a Basic header and others do not, which may be the reason'
        : ''
    return new Inconclusive(
      `the provider refused the client credentials (${describe(response)})${encoding}`,
      // The authorization endpoint issued a code to this client id.
      { variables: [`${prefix}CLIENT_SECRET`, 'CLIENT_AUTH_METHOD'] },
    )
  }
  return new Inconclusive(`the code exchange returned no tokens (${describe(response)})`, [
    'TOKEN-CODE-EXCHANGE',
  ])
}

/** Requires, without a request, that no lock of the application may explain a response. @throws {Inconclusive} if one may */
export function requireNoLock(...refusal: Parameters<typeof mayBeLocked>): void {
  if (mayBeLocked(...refusal)) throw lockedClient(refusal[2])
}

/** The verdict on a check whose valid request the target refused after failed authentications. */
function lockedClient(response: HttpResponse): Inconclusive {
  return new Inconclusive(
    `the target refuses valid requests of the application after failed authentications (${describe(response)}), which may be a temporary lock`,
    { cause: 'throttled', advice: 'wait until the lock has ended; remove credential-probes from ENABLE' },
  )
}
