import type { Landing } from '../../src/check/authorization/landing-content.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { applicationOf } from '../../src/target/parts.ts'

const difference = 'with an empty `code_challenge`'

/**
 * A request with an empty `code_challenge`, sent once per run: of the second application, if there is one, since the
 * parameter may be required of the first one alone.
 */
export async function refusedChallenge({
  authorization,
  secondClient,
  once,
  target,
}: Pick<CheckContext, 'authorization' | 'secondClient' | 'once' | 'target'>): Promise<{
  readonly landing: Landing
  readonly sending: string
}> {
  const isOfSecond = target.secondApplication !== undefined
  const application = target.secondApplication ?? applicationOf(target)
  const { landing } = await once(`request ${difference}`, async () => {
    if (isOfSecond) await secondClient.control()
    return authorization.authorize('signed-in', { code_challenge: '' }, application, difference)
  })
  return {
    landing,
    sending: `the valid request${isOfSecond ? ' of the second application' : ''} ${difference}`,
  }
}
