import type { SubscriptionFields, WebhookBehaviour } from './behaviour.ts'

/** A body that does not describe a subscription. The message never repeats a value of the body. */
export class InvalidFields extends Error {}

type Policy = Pick<
  WebhookBehaviour,
  'targetAccepted' | 'secretAccepted' | 'descriptionAccepted' | 'typesAccepted'
>

/**
 * Reads the JSON body of a creation or an update.
 * @throws InvalidFields for a body that is not a JSON object, or has a missing, unknown or invalid member
 */
export function readFields(
  text: string | undefined,
  policy: Policy,
  required: ReadonlySet<keyof SubscriptionFields>,
): Partial<SubscriptionFields> {
  const body = parse(text)
  for (const name of required) {
    if (body[name] === undefined) throw new InvalidFields(`${name} is missing`)
  }
  const fields: Partial<SubscriptionFields> = {}
  for (const [name, value] of Object.entries(body)) {
    if (name === 'target_url') fields.target_url = target(value, policy)
    else if (name === 'secret') fields.secret = secret(value, policy)
    else if (name === 'event_filters') fields.event_filters = eventFilters(value, policy)
    else if (name === 'description') fields.description = description(value, policy)
    else throw new InvalidFields('the body has a member that cannot be set')
  }
  return fields
}

function parse(text: string | undefined): Record<string, unknown> {
  let body: unknown
  try {
    body = JSON.parse(text ?? '')
  } catch {
    throw new InvalidFields('the body is not JSON')
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new InvalidFields('the body is not a JSON object')
  }
  return body as Record<string, unknown>
}

function target(value: unknown, { targetAccepted }: Policy): string {
  if (typeof value !== 'string' || !URL.canParse(value)) throw new InvalidFields('target_url is not a URL')
  if (!targetAccepted(new URL(value))) throw new InvalidFields('target_url is not an https URL')
  return value
}

function secret(value: unknown, { secretAccepted }: Policy): string {
  if (typeof value !== 'string') throw new InvalidFields('secret is not a string')
  if (!secretAccepted(value)) throw new InvalidFields('secret has fewer than 32 characters')
  return value
}

function eventFilters(value: unknown, { typesAccepted }: Policy): string[] {
  if (!Array.isArray(value) || !value.every((type) => typeof type === 'string')) {
    throw new InvalidFields('event_filters is not an array of strings')
  }
  if (!typesAccepted(value)) throw new InvalidFields('event_filters has an unknown type')
  return value
}

function description(value: unknown, { descriptionAccepted }: Policy): string {
  if (!descriptionAccepted) throw new InvalidFields('the body has a member that cannot be set')
  if (typeof value !== 'string') throw new InvalidFields('description is not a string')
  return value
}
