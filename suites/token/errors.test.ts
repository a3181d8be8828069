import {
  loginAfterAllChecks,
  loginAndBadCredentials,
  loginAndSpendCode,
} from '../../src/check/check-options.ts'
import { describe, isTokenRefusal } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { check } from './requirements.ts'

type SharedRequests = CheckContext['sharedRequests']

check(
  'TOKEN-ERROR-JSON',
  'every refusal is a JSON object with `error`',
  loginAfterAllChecks,
  async ({ expect, basis, note, sharedRequests }) => {
    const refused = await refusalsOfRun(sharedRequests)
    for (const response of refused) {
      expect.describeRequest(requestOf(response))
      expect.text(expect.object(response).error, 'error')
      if (response.mediaType !== 'application/json')
        note('the media type of a refusal is not application/json (RFC 6749, 5.2)')
    }
    basis({ refusals: refused.length })
  },
)

check(
  'TOKEN-ERROR-DESCRIPTION',
  'every refusal has `error_description`',
  loginAfterAllChecks,
  async ({ expect, basis, sharedRequests }) => {
    const refused = await refusalsOfRun(sharedRequests)
    for (const response of refused) {
      expect.describeRequest(requestOf(response))
      if (!response.object) return inconclusive('a refusal is not a JSON object', ['TOKEN-ERROR-JSON'])
      // TOKEN-ERROR-JSON reports a nested or absent error.
      if (typeof response.object.error !== 'string')
        return inconclusive('a refusal has no error', ['TOKEN-ERROR-JSON'])
      expect.text(response.object.error_description, 'error_description')
    }
    basis({ refusals: refused.length })
  },
)

/** Documented errors and their statuses (section Errors: Token endpoint of the specification). */
const statuses: Readonly<Record<string, number>> = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
}

for (const [id, flaw, options, responseOf] of [
  [
    'TOKEN-VERIFIER-WRONG',
    'the verifier of another request',
    loginAndSpendCode,
    (requests: SharedRequests) => requests.wrongVerifier(),
  ],
  [
    'TOKEN-CODE-UNKNOWN',
    'a code that was never issued',
    loginAndBadCredentials,
    (requests: SharedRequests) => requests.unknownCode(),
  ],
  [
    'TOKEN-REFRESH-UNKNOWN',
    'a refresh token that was never issued',
    loginAndBadCredentials,
    (requests: SharedRequests) => requests.unknownRefreshToken(),
  ],
] as const) {
  check(
    'TOKEN-ERROR-STATUS',
    `the refusal of ${flaw} has the status of its error`,
    options,
    async ({ sharedRequests, expect }) => {
      const response = await responseOf(sharedRequests)
      if (!isTokenRefusal(response)) return inconclusive(`${flaw} is accepted`, [id])
      const error = String(response.object?.error)
      const status = statuses[error]
      if (status === undefined) return notApplicable('the refusal has none of the listed errors', 'target')
      expect.describeRequest(`an otherwise valid token request with ${flaw}`)
      expect.that(response.status === status, `${status} with ${error}`, response)
    },
  )
}

/** Describes a refused request by its grant type. The evidence contains the other parameters. */
function requestOf(response: HttpResponse): string {
  const grant = response.exchange.request.body?.find((member) => member.startsWith('grant_type='))
  return `a token request ${grant === undefined ? 'without grant_type' : `with ${grant}`}, which was refused (${describe(response)})`
}

/** All refusals of the run with 400 or 401, after a request that must be refused, so that there is at least one. */
async function refusalsOfRun(sharedRequests: SharedRequests): Promise<readonly HttpResponse[]> {
  await sharedRequests.clientCredentials()
  // Refusals with other statuses do not count: a gateway in front of the token endpoint may send them.
  const refused = sharedRequests.refusals().filter(({ status }) => status === 400 || status === 401)
  return refused.length > 0
    ? refused
    : inconclusive('no request was refused with 400 or 401', ['PLATFORM-MACHINE-TO-MACHINE'])
}
