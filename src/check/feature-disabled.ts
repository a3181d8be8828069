import type { HttpResponse } from '../http/response.ts'

/** The type of the response if a feature is not enabled for the partner (section Platform errors). */
export const featureDisabled = 'FEATURE_DISABLED'

/** Whether a response has this type, even in lower case or with other separators: `feature-disabled`. */
export function isFeatureDisabled({ object }: HttpResponse): boolean {
  const { type } = object ?? {}
  return typeof type === 'string' && type.replaceAll(/[ _-]/g, '').toUpperCase() === 'FEATUREDISABLED'
}
