import { login, planned } from '../../src/check/check-options.ts'
import { featureDisabled, isFeatureDisabled } from '../../src/check/feature-disabled.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import { errorName } from '../../src/evidence/allow-list.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { check } from './requirements.ts'

for (const { feature, options, response } of [
  {
    feature: 'the Event Hub',
    options: { needs: ['unentitledPartner'] },
    response: ({ events, target: { unentitledPartner } }: CheckContext) =>
      unentitledPartner
        ? events.responseToUnentitled(unentitledPartner)
        : notApplicable('needs a partner without the Event Hub'),
  },
  {
    feature: 'introspection',
    options: login,
    response: ({ resources }: CheckContext) => resources.introspection(),
  },
  {
    feature: 'webhooks',
    options: planned,
    response: ({ subscriptions }: CheckContext) => subscriptions.firstList(),
  },
] as const) {
  /**
   * The response to a request for the feature, which is sent once per run.
   * @throws {NotApplicable} if the response neither contains FEATURE_DISABLED nor has another spelling of it, such as
   *   `feature-disabled`, as its type
   */
  const refusal = async (context: CheckContext): Promise<HttpResponse> => {
    const refused = await response(context)
    return refused.text.includes(featureDisabled) || isFeatureDisabled(refused)
      ? refused
      : notApplicable(
          `applies only if the target disables ${feature}; its response does not contain ${featureDisabled}`,
          'target',
        )
  }

  check(
    'PLATFORM-FEATURE-DISABLED-TYPE',
    `FEATURE_DISABLED of ${feature} is the \`type\` of a JSON body`,
    options,
    async (context) => {
      const response = await refusal(context)
      const { type } = context.expect.object(response)
      const { text } = response
      context.expect.that(
        type === featureDisabled,
        `${featureDisabled} as type`,
        typeof type === 'string' && !text.includes(featureDisabled)
          ? `the type ${errorName(type)}`
          : `${featureDisabled} elsewhere in the body`,
      )
    },
  )

  check(
    'PLATFORM-FEATURE-DISABLED',
    `FEATURE_DISABLED of ${feature} has status 403`,
    options,
    async (context) => {
      context.expect.status(await refusal(context), 403)
    },
  )

  check(
    'PLATFORM-FEATURE-DISABLED-MESSAGE',
    `FEATURE_DISABLED of ${feature} has a message`,
    options,
    async (context) => {
      const { object } = await refusal(context)
      if (object?.type !== featureDisabled)
        return inconclusive(`${featureDisabled} is not the type`, ['PLATFORM-FEATURE-DISABLED-TYPE'])
      context.expect.text(object.message, 'message')
    },
  )
}
