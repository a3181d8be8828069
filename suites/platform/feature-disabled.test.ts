import type { CheckContext } from '../../src/check/fixtures.ts'
import { login } from '../../src/check/options.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { check } from './requirements.ts'

const featureDisabled = 'FEATURE_DISABLED'

type Source = Pick<CheckContext, 'events' | 'notApplicable' | 'resources' | 'target'>

for (const { feature, options, response } of [
  {
    feature: 'the Event Hub',
    options: { needs: ['unentitledPartner'] },
    response: ({ events, target: { unentitledPartner }, notApplicable }: Source) =>
      unentitledPartner
        ? events.responseToUnentitled(unentitledPartner)
        : notApplicable('needs a partner without the Event Hub'),
  },
  {
    feature: 'introspection',
    options: login,
    response: ({ resources }: Source) => resources.introspection(),
  },
] as const) {
  /** The shared response to a request for the feature, if it names FEATURE_DISABLED anywhere. */
  const refusal = async (source: Source): Promise<HttpResponse> => {
    const refused = await response(source)
    return refused.text.includes(featureDisabled)
      ? refused
      : source.notApplicable(`the response of ${feature} does not name ${featureDisabled}`, 'target')
  }

  check(
    'PLATFORM-FEATURE-DISABLED-TYPE',
    `FEATURE_DISABLED of ${feature} is the \`type\` of a JSON body`,
    options,
    async ({ expect, events, resources, target, notApplicable }) => {
      const { type } = expect.object(await refusal({ events, resources, target, notApplicable }))
      expect.that(
        type === featureDisabled,
        `${featureDisabled} as type`,
        `${featureDisabled} elsewhere in the body`,
      )
    },
  )

  check(
    'PLATFORM-FEATURE-DISABLED',
    `FEATURE_DISABLED of ${feature} has status 403`,
    options,
    async ({ expect, events, resources, target, notApplicable }) => {
      expect.status(await refusal({ events, resources, target, notApplicable }), 403)
    },
  )

  check(
    'PLATFORM-FEATURE-DISABLED-MESSAGE',
    `FEATURE_DISABLED of ${feature} has a message`,
    options,
    async ({ expect, events, resources, target, notApplicable, inconclusive }) => {
      const { object } = await refusal({ events, resources, target, notApplicable })
      if (object?.type !== featureDisabled)
        return inconclusive(`${featureDisabled} is not the type`, {
          dependsOn: ['PLATFORM-FEATURE-DISABLED-TYPE'],
        })
      expect.text(object.message, 'message')
    },
  )
}
