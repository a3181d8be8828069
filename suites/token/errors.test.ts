import { describe, kindOf } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { check } from './requirements.ts'

// After all others: every kind of refusal that they brought about is looked at.
const afterwards = { effects: ['login'], needs: ['user'], looksBack: true } as const

check(
  'TOKEN-ERROR-JSON',
  'every refusal is a JSON body with error',
  afterwards,
  async ({ expect, basis, note, sharedRequests, inconclusive }) => {
    const met = await refusals({ sharedRequests, inconclusive })
    for (const response of met) {
      const { error } = expect.object(response)
      expect.that(
        typeof error === 'string' && error !== '',
        'error as a non-empty string',
        `error of an answer with status ${response.status} was ${kindOf(error)}`,
      )
      if (response.mediaType !== 'application/json')
        note('a refusal is not labelled application/json (RFC 6749, 5.2)')
    }
    basis({ refusals: met.length })
  },
)

check(
  'TOKEN-ERROR-DESCRIPTION',
  'every refusal carries error_description',
  afterwards,
  async ({ expect, basis, inconclusive, sharedRequests }) => {
    const met = await refusals({ sharedRequests, inconclusive })
    for (const response of met) {
      if (!response.object)
        return inconclusive('a refusal is no JSON object', { dependsOn: ['TOKEN-ERROR-JSON'] })
      // Nested or absent errors are reported once.
      if (typeof response.object.error !== 'string')
        return inconclusive('a refusal names no error', { dependsOn: ['TOKEN-ERROR-JSON'] })
      const { error_description: description } = response.object
      expect.that(
        typeof description === 'string' && description !== '',
        'error_description as a non-empty string',
        `in the answer ${describe(response)} it was ${kindOf(description)}`,
      )
    }
    basis({ refusals: met.length })
  },
)

/** The refusals the run has met; one is brought about so that there is any. */
async function refusals({
  sharedRequests,
  inconclusive,
}: Pick<CheckContext, 'sharedRequests' | 'inconclusive'>): Promise<readonly HttpResponse[]> {
  await sharedRequests.unknownCode()
  // Other statuses are not in the document, and may come from in front of the token endpoint.
  const met = sharedRequests.refusals().filter(({ status }) => status === 400 || status === 401)
  return met.length > 0 ? met : inconclusive('no request was refused', { dependsOn: ['TOKEN-CODE-UNKNOWN'] })
}
