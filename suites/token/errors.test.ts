import { loginAfterAllChecks } from '../../src/check/check-options.ts'
import { describe } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { check } from './requirements.ts'

check(
  'TOKEN-ERROR-JSON',
  'every refusal is a JSON object with `error`',
  loginAfterAllChecks,
  async ({ expect, basis, note, sharedRequests }) => {
    const refused = await refusalsOfRun({ sharedRequests })
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
    const refused = await refusalsOfRun({ sharedRequests })
    for (const response of refused) {
      expect.describeRequest(requestOf(response))
      if (!response.object) return inconclusive('a refusal is not a JSON object', ['TOKEN-ERROR-JSON'])
      // Nested or absent errors are reported once.
      if (typeof response.object.error !== 'string')
        return inconclusive('a refusal has no error', ['TOKEN-ERROR-JSON'])
      expect.text(response.object.error_description, 'error_description')
    }
    basis({ refusals: refused.length })
  },
)

/** The request of a refusal. Its other members are evidence. */
function requestOf(response: HttpResponse): string {
  const grant = response.exchange.request.body?.find((member) => member.startsWith('grant_type='))
  return `a token request ${grant === undefined ? 'without grant_type' : `with ${grant}`}, which was refused (${describe(response)})`
}

/** The refusals of the run, with at least one. */
async function refusalsOfRun({
  sharedRequests,
}: Pick<CheckContext, 'sharedRequests'>): Promise<readonly HttpResponse[]> {
  await sharedRequests.clientCredentials()
  // Other statuses are not specified, and a gateway in front of the token endpoint may send them.
  const refused = sharedRequests.refusals().filter(({ status }) => status === 400 || status === 401)
  return refused.length > 0
    ? refused
    : inconclusive('no request was refused', ['PLATFORM-MACHINE-TO-MACHINE'])
}
