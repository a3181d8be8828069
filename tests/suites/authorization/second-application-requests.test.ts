import { expect, test } from 'vitest'
import type { CompletedLanding } from '../../../src/check/authorization/landing-content.ts'
import { sendWithoutPkce } from '../../../suites/authorization/second-application-requests.ts'
import { redirectBack } from '../../check/authorization/landings.ts'

type Steps = Parameters<typeof sendWithoutPkce>[0]

/** Steps with a second application whose request with prompt=none has this landing, and their descriptions. */
function stepsWith(silent: CompletedLanding, interactive = redirectBack('error=invalid_request')) {
  const described: string[] = []
  const shared = new Map<unknown, unknown>()
  const steps = {
    target: { secondApplication: { id: 'second' } },
    secondClient: { control: async () => {} },
    expect: { describeRequest: (request: string) => described.push(request) },
    authorization: {
      authorize: async (_user: string, { prompt }: { prompt?: string }) => ({
        landing: prompt === 'none' ? silent : interactive,
      }),
    },
    once: async (key: unknown, make: () => Promise<unknown>) => {
      if (!shared.has(key)) shared.set(key, make())
      return shared.get(key)
    },
  } as unknown as Steps
  return { steps, described }
}

const ofSecond = 'the valid request of the second application without PKCE'

test.each([
  ['invalid_request', `${ofSecond} and with prompt=none`],
  ['login_required', ofSecond],
  ['consent_required', ofSecond],
])('after %s, the finding describes the request whose landing is judged', async (error, description) => {
  const { steps, described } = stepsWith(redirectBack(`error=${error}`))
  expect(await sendWithoutPkce(steps)).toEqual(redirectBack('error=invalid_request'))
  // Another check that shares the landing describes it, too.
  await sendWithoutPkce(steps)
  expect(described).toEqual([description, description])
})
