import type { HttpResponse } from '../http/response.ts'

/** The type of the response to a partner for which a feature is not enabled (section Platform errors). */
export const featureDisabled = 'FEATURE_DISABLED'

/** Whether a response has this type, also if it is written in lower case or with other separators. */
export function isFeatureDisabled({ object }: HttpResponse): boolean {
  const { type } = object ?? {}
  return typeof type === 'string' && type.replaceAll(/[ _-]/g, '').toUpperCase() === 'FEATUREDISABLED'
}
