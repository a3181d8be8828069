import { canonical, namesAmong } from '../../event-hub/event.ts'
import type { HttpResponse } from '../../http/response.ts'
import { membersIn, objectsIn } from '../../text/json.ts'

// The specification does not define how a response wraps a subscription, so objects at all depths count.

/** The value of the first member with this name, at any depth. */
export function memberIn(response: HttpResponse, name: string): unknown {
  return objectsIn(response.json).find((object) => name in object)?.[name]
}

/** The subscription in a response: the object with this id or, without it, an object with a target_url. */
export function subscriptionIn(
  { json }: HttpResponse,
  id: string,
): Readonly<Record<string, unknown>> | undefined {
  const objects = objectsIn(json)
  return objects.find((object) => object.id === id) ?? objects.find((object) => 'target_url' in object)
}

/** A subscription in a list: the object with its id and with target_url or event_filters; empty if there is none. */
export function listedIn(
  { json }: HttpResponse,
  { id }: { readonly id: string | undefined },
): Readonly<Record<string, unknown>> {
  const isListed = (object: Readonly<Record<string, unknown>>) =>
    object.id === id && ('target_url' in object || 'event_filters' in object)
  return (id !== undefined && objectsIn(json).find(isListed)) || {}
}

/** Names of the members of a response at all depths, sorted. */
export function memberNames(json: unknown): string[] {
  return namesAmong(objectsIn(json).flatMap((object) => Object.keys(object)))
}

export function statusValues(responses: readonly HttpResponse[]): string[] {
  return namesAmong(responses.flatMap(({ json }) => objectsIn(json).map(({ status }) => status)))
}

/** Whether a response contains the id of a subscription at any depth. */
export function namesSubscription(response: HttpResponse, id: string): boolean {
  return [response.json, ...membersIn(response.json).map(([, value]) => value)].includes(id)
}

/** Whether a list seems to have more pages. The specification does not define its form. */
export function hasMorePages(list: HttpResponse): boolean {
  const subscriptions = objectsIn(list.json).filter((object) => 'target_url' in object).length
  return (
    /\brel="?next\b/.test(list.header('link') ?? '') ||
    membersIn(list.json).some(
      ([name, value]) =>
        (/^(has_?)?(next|more)/i.test(name) && Boolean(value)) ||
        (/total|count/i.test(name) && typeof value === 'number' && value > subscriptions),
    )
  )
}

/** Whether a response shows that the target lacks the operation. A page for people shows that, too. */
export function lacksOperation({ status, mediaType, json }: HttpResponse): boolean {
  const isPage = mediaType === 'text/html' && json === undefined
  return [404, 405, 410].includes(status) || (status >= 300 && status < 400) || (status < 300 && isPage)
}

/** Whether a response to a creation shows that nothing was created: a refusal, or a page for people. */
export function isNoSubscription(response: HttpResponse): boolean {
  return response.status >= 300 || lacksOperation(response)
}

/** Whether event_filters are the requested ones, in any order. */
export function sameFilters(given: unknown, sent: readonly string[] = []): boolean {
  if (!Array.isArray(given)) return false
  return canonical([...given].sort()) === canonical([...sent].sort())
}

/**
 * Number of responses that contain more than half of a secret, or all of it in another encoding (`whole`), and of
 * those that contain only its first or last 8 characters (`parts`).
 */
export function secretsDisclosed(
  responses: readonly HttpResponse[],
  secrets: readonly string[],
): { readonly whole: number; readonly parts: number } {
  const countWith = (needles: readonly string[]) =>
    responses.filter((response) => needles.some((needle) => response.contains(needle))).length
  const whole = countWith(secrets.flatMap(formsOf))
  const parts = countWith(secrets.flatMap((secret) => [secret.slice(0, 8), secret.slice(-8)]))
  return { whole, parts: Math.max(0, parts - whole) }
}

/** Texts of which each discloses a secret: more than half of it, or the secret in base64, base64url or hexadecimal. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const half = Math.ceil(secret.length / 2) + 1
  return [
    secret.slice(0, half),
    secret.slice(-half),
    // The last characters of base64 depend on the text after the secret.
    bytes.toString('base64').slice(0, -4),
    bytes.toString('base64url').slice(0, -4),
    bytes.toString('hex'),
  ]
}
