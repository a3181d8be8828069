import type { CheckContext } from '../../src/check/fixtures.ts'
import type { Landing } from '../../src/check/landing.ts'
import { applicationOf } from '../../src/target/parts.ts'

/**
 * A request with an empty parameter, sent once per run: of the second application, if there is one, since the parameter
 * may be required of the first one alone.
 */
export async function refusedEmpty(
  {
    authorization,
    secondClient,
    once,
    target,
  }: Pick<CheckContext, 'authorization' | 'secondClient' | 'once' | 'target'>,
  { parameter }: { readonly parameter: string },
): Promise<{ readonly landing: Landing; readonly sending: string }> {
  const { secondApplication, ...first } = target
  const difference = `with an empty \`${parameter}\``
  const { landing } = await once(`request ${difference}`, async () => {
    if (secondApplication) await secondClient.control()
    return authorization.authorize(
      'signed-in',
      { [parameter]: '' },
      secondApplication ?? applicationOf(first),
      difference,
    )
  })
  const whose = secondApplication ? ' of the second application' : ''
  return { landing, sending: `the valid request${whose} ${difference}` }
}
