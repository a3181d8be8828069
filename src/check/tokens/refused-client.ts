import type { HttpResponse } from '../../http/response.ts'
import { basicIsAmbiguous } from '../../oauth/client-authentication.ts'
import { applicationOf } from '../../target/parts.ts'
import type { Application } from '../../target/target.ts'
import { describe } from '../expect.ts'
import type { RunContext } from '../run-context.ts'
import { Inconclusive } from '../verdict.ts'

/**
 * Why the target may have refused a client and not its request:
 * - `locked`: a lock after failed authentications, which the specification allows;
 * - `ended`: the target accepted the credentials earlier in this run, and they or the registration may have ended;
 * - `never accepted`: the credentials or the registration may be wrong.
 */
export type ClientRefusal = 'locked' | 'ended' | 'never accepted'

/** Errors that may concern the client and not its request. */
const clientErrors: ReadonlySet<unknown> = new Set(['invalid_client', 'unauthorized_client'])

type Requests = Pick<RunContext, 'provider' | 'validRequests'>
type Client = Pick<Application, 'id'>

/**
 * Why the target may have refused a client, judged by all requests of the run with correct or wrong credentials of the
 * client. A lock may also cause 403 or `access_denied`.
 * @returns `locked` whenever a lock explains the response, even if the target accepted the client later, since a lock
 * ends. Otherwise undefined if the response does not refuse the client, or if the target accepted the client later
 */
export function clientRefusal(
  run: Requests,
  client: Client,
  response: HttpResponse,
): ClientRefusal | undefined {
  const { sentAt } = response.exchange
  const acceptedAt = run.provider.log.issued
    .filter(({ application }) => application?.id === client.id)
    .map((issued) => issued.response.exchange.sentAt)
  const lastAccepted = acceptedAt.findLast((at) => at <= sentAt)
  if (mayRefuseLockedClient(response) && hasFailedSince(lastAccepted, run, client, response)) return 'locked'
  if (!refusesClient(response) || acceptedAt.some((at) => at > sentAt)) return undefined
  return acceptedAt.some((at) => at < sentAt) ? 'ended' : 'never accepted'
}

/** Whether a response of the token endpoint refuses the client: its credentials, or its use of a grant. */
function refusesClient({ status, object }: HttpResponse): boolean {
  return status === 401 || (status >= 400 && clientErrors.has(object?.error))
}

function mayRefuseLockedClient(response: HttpResponse): boolean {
  const { status, object } = response
  // A 403 without a JSON object is the page of a gateway.
  return (
    refusesClient(response) ||
    (status === 403 && object !== undefined) ||
    (status >= 400 && object?.error === 'access_denied')
  )
}

/**
 * Whether wrong credentials may have locked the client: the target refused them after it last accepted the client,
 * and before this response. If it refused a valid request even before the wrong credentials, they are not the reason.
 */
function hasFailedSince(
  lastAccepted = Number.NEGATIVE_INFINITY,
  { provider, validRequests }: Requests,
  { id }: Client,
  response: HttpResponse,
): boolean {
  const sentBefore = (other: HttpResponse) =>
    other !== response &&
    other.exchange.sentAt > lastAccepted &&
    other.exchange.sentAt <= response.exchange.sentAt
  const failure = provider.log.failedAuthentications.find(
    (failed) => failed.applicationId === id && sentBefore(failed.response),
  )?.response
  if (!failure) return false
  return ![...validRequests.exchanges, ...validRequests.refreshes].some(
    (valid) =>
      valid.applicationId === id &&
      refusesClient(valid.response) &&
      sentBefore(valid.response) &&
      valid.response.exchange.sentAt < failure.exchange.sentAt,
  )
}

/** The error for a check whose code exchange returned no tokens, with the reason. */
export function withoutTokens(
  run: RunContext,
  application: Application,
  response: HttpResponse,
): Inconclusive {
  const refusal = clientRefusal(run, application, response)
  if (refusal === 'locked') return lockedClient(response)
  if (refusal === 'ended')
    return new Inconclusive(
      `the target refused client credentials that it had accepted in this run (${describe(response)})`,
      ['TOKEN-CODE-EXCHANGE'],
    )
  if (refusal === 'never accepted') {
    const prefix = application.id === applicationOf(run.target).id ? '' : 'SECOND_'
    if (response.object?.error === 'unauthorized_client')
      return new Inconclusive(
        `the provider does not allow the client to exchange codes (${describe(response)})`,
        {
          variables: [`${prefix}CLIENT_ID`],
          advice: `ask the operators of the target to allow the authorization code grant to ${prefix}CLIENT_ID`,
        },
      )
    const encoding =
      application.authMethod === 'client_secret_basic' && basicIsAmbiguous(application)
        ? '. They contain characters that servers expect in different encodings in a Basic header, which may be the reason'
        : ''
    return new Inconclusive(
      `the provider refused the client credentials (${describe(response)})${encoding}`,
      // The client id is correct, since the authorization endpoint issued a code for it.
      { variables: [`${prefix}CLIENT_SECRET`, 'CLIENT_AUTH_METHOD'] },
    )
  }
  return new Inconclusive(`the code exchange returned no tokens (${describe(response)})`, [
    'TOKEN-CODE-EXCHANGE',
  ])
}

/** Requires that a lock of the client does not explain a response. @throws {Inconclusive} if a lock may explain it */
export function requireNoLock(run: Requests, client: Client, response: HttpResponse): void {
  if (clientRefusal(run, client, response) === 'locked') throw lockedClient(response)
}

/** The error for a check whose valid request the target refused after failed authentications. */
function lockedClient(response: HttpResponse): Inconclusive {
  return new Inconclusive(
    `the target refuses valid requests of the application after failed authentications (${describe(response)}), which may be a temporary lock`,
    { cause: 'throttled', advice: 'wait until the lock has ended; remove credential-probes from ENABLE' },
  )
}
