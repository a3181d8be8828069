import { describe, kindOf } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { loginAfterAllChecks } from '../../src/check/options.ts'
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
      expect.sending(requestOf(response))
      const { error } = expect.object(response)
      expect.that(
        typeof error === 'string' && error !== '',
        'error as a non-empty string',
        `a refusal with status ${response.status}, error: ${kindOf(error)}`,
      )
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
      expect.sending(requestOf(response))
      if (!response.object) return inconclusive('a refusal is not a JSON object', ['TOKEN-ERROR-JSON'])
      // Nested or absent errors are reported once.
      if (typeof response.object.error !== 'string')
        return inconclusive('a refusal has no error', ['TOKEN-ERROR-JSON'])
      const { error_description: description } = response.object
      const stated = typeof description === 'string' ? description.trim() : description
      expect.that(
        typeof stated === 'string' && stated !== '',
        'error_description as a non-empty string',
        `${describe(response)}, error_description: ${kindOf(stated)}`,
      )
    }
    basis({ refusals: refused.length })
  },
)

/** The request of a refusal. Its other members are evidence. */
function requestOf({ exchange }: HttpResponse): string {
  const grant = exchange.request.body?.find((member) => member.startsWith('grant_type='))
  return `a token request ${grant === undefined ? 'without grant_type' : `with ${grant}`}, which was refused`
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
