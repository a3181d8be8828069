import { login } from '../../src/check/check-options.ts'
import { featureDisabled, isFeatureDisabled } from '../../src/check/feature-disabled.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import { errorName } from '../../src/evidence/allow-list.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { planned } from '../webhook-subscriptions/planned.ts'
import { check } from './requirements.ts'

type Source = Pick<CheckContext, 'events' | 'resources' | 'subscriptions' | 'target'>

for (const { feature, options, response } of [
  {
    feature: 'the Event Hub',
    options: { needs: ['unentitledPartner'] },
    response: ({ events, target: { unentitledPartner } }: Source) =>
      unentitledPartner
        ? events.responseToUnentitled(unentitledPartner)
        : notApplicable('needs a partner without the Event Hub'),
  },
  {
    feature: 'introspection',
    options: login,
    response: ({ resources }: Source) => resources.introspection(),
  },
  {
    feature: 'webhooks',
    options: planned,
    response: ({ subscriptions }: Source) => subscriptions.firstList(),
  },
] as const) {
  /**
   * The shared response to a request for the feature, if it contains FEATURE_DISABLED anywhere, or has it in another spelling
   * as its type.
   */
  const refusal = async (source: Source): Promise<HttpResponse> => {
    const refused = await response(source)
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
    async ({ expect, events, resources, subscriptions, target }) => {
      const response = await refusal({ events, resources, subscriptions, target })
      const { type } = expect.object(response)
      const { text } = response
      expect.that(
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
    async ({ expect, events, resources, subscriptions, target }) => {
      expect.status(await refusal({ events, resources, subscriptions, target }), 403)
    },
  )

  check(
    'PLATFORM-FEATURE-DISABLED-MESSAGE',
    `FEATURE_DISABLED of ${feature} has a message`,
    options,
    async ({ expect, events, resources, subscriptions, target }) => {
      const { object } = await refusal({ events, resources, subscriptions, target })
      if (object?.type !== featureDisabled)
        return inconclusive(`${featureDisabled} is not the type`, ['PLATFORM-FEATURE-DISABLED-TYPE'])
      expect.text(object.message, 'message')
    },
  )
}
