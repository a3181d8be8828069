import { canonical, namesAmong } from '../../event-hub/event.ts'
import type { HttpResponse } from '../../http/response.ts'
import { membersIn, objectsIn } from '../../text/json.ts'

// How a response wraps a subscription is not documented, so its objects at all depths count.

/** The object of a response that has a member of that name: the subscription itself, or one inside another object. */
export function memberIn(response: HttpResponse, name: string): unknown {
  return objectsIn(response.json).find((object) => name in object)?.[name]
}

/** The subscription in a response: the object with its id, or one with a target_url. */
export function subscriptionIn(
  { json }: HttpResponse,
  id: string,
): Readonly<Record<string, unknown>> | undefined {
  const objects = objectsIn(json)
  return objects.find((object) => object.id === id) ?? objects.find((object) => 'target_url' in object)
}

/** A subscription of this run in a list: the object with its id that has members of a request; empty if there is none. */
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

/** Values of status in responses, sorted. */
export function statusValues(responses: readonly HttpResponse[]): string[] {
  return namesAmong(responses.flatMap(({ json }) => objectsIn(json).map(({ status }) => status)))
}

/** Whether a response contains the id of a subscription at any depth. */
export function namesSubscription(response: HttpResponse, id: string): boolean {
  return [response.json, ...membersIn(response.json).map(([, value]) => value)].includes(id)
}

/** Whether a list states that it is incomplete: its form is not specified, so it may have pages. */
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

/** Whether a response comes from a server that does not have the requested operation, or is a page for people. */
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

/** Number of responses that contain a secret: all of it, or a recognisable part. */
export function secretsDisclosed(
  responses: readonly HttpResponse[],
  secrets: readonly string[],
): { readonly whole: number; readonly parts: number } {
  const holding = (needles: readonly string[]) =>
    responses.filter((response) => needles.some((needle) => response.contains(needle))).length
  const whole = holding(secrets.flatMap(formsOf))
  const parts = holding(secrets.flatMap((secret) => [secret.slice(0, 8), secret.slice(-8)]))
  return { whole, parts: Math.max(0, parts - whole) }
}

/** A secret, literal and encoded; more than half of it counts as the whole. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const half = Math.ceil(secret.length / 2) + 1
  return [
    secret.slice(0, half),
    secret.slice(-half),
    // The last characters depend on what follows.
    bytes.toString('base64').slice(0, -4),
    bytes.toString('base64url').slice(0, -4),
    bytes.toString('hex'),
  ]
}
