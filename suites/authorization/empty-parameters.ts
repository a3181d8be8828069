import type { CheckContext } from '../../src/check/fixtures.ts'
import type { Landing } from '../../src/check/landing.ts'
import { applicationOf } from '../../src/target/parts.ts'

type Context = Pick<CheckContext, 'authorization' | 'secondClient' | 'once' | 'target'>

/**
 * A request with an empty parameter, sent once per run: of the second application, if there is one, since the parameter
 * may be required of the first one alone.
 */
export async function refusedEmpty(
  { authorization, secondClient, once, target }: Context,
  { parameter }: { readonly parameter: string },
): Promise<{ readonly landing: Landing; readonly sending: string }> {
  const difference = `with an empty \`${parameter}\``
  const isOfSecond = target.secondApplication !== undefined
  const application = target.secondApplication ?? applicationOf(target)
  const { landing } = await once(`request ${difference}`, async () => {
    if (isOfSecond) await secondClient.control()
    return authorization.authorize('signed-in', { [parameter]: '' }, application, difference)
  })
  return {
    landing,
    sending: `the valid request${isOfSecond ? ' of the second application' : ''} ${difference}`,
  }
}
