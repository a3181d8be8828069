import { z } from 'zod'
import { SetupError } from '../../target/problem.ts'
import { isObject, jsonIn } from '../../text/json.ts'
import { formatLocal, type LocalDateTime, parseLocal } from '../local-time.ts'

/** The feed that a checkpoint belongs to. A checkpoint is not valid for another hub, partner or zone. */
export interface Feed {
  /** {partner_api_url}. */
  readonly hub: string
  /** X-Client-Id. */
  readonly client: string
  /** IANA zone of the hub's local times. */
  readonly zone: string
}

/** The progress of a poller. The keys of delivered events are in separate files (`PollerMemory`). */
export interface Checkpoint {
  /** All events before this local time of the hub have been delivered. */
  readonly at: LocalDateTime
  /** Number of the current file of keys. */
  readonly generation: number
  /** The checkpoint at which the current file of keys was started. */
  readonly begunAt: LocalDateTime
}

const format = 'plumbline-event-checkpoint'
const localTime = z.string().transform((text, context) => {
  const time = parseLocal(text)
  if (time) return time.at
  context.addIssue('is not a local date-time')
  return z.NEVER
})
const schema = z.object({
  format: z.literal(format),
  version: z.literal(1),
  hub: z.string(),
  client: z.string(),
  zone: z.string(),
  checkpoint: localTime,
  generation: z.number().int().nonnegative(),
  begunAt: localTime,
})

/**
 * Reads a checkpoint file.
 * @throws {SetupError} if the file is damaged, of another version, or of another feed
 */
export function parseCheckpoint(text: string, path: string, feed: Feed): Checkpoint {
  const json = jsonIn(text)
  if (isObject(json) && json.format === format && json.version !== 1) {
    throw new SetupError({
      name: path,
      what: `is a checkpoint of version ${JSON.stringify(json.version)}, but this Plumbline supports only version 1: use the Plumbline that wrote it, or choose another file`,
    })
  }
  const { data } = schema.safeParse(json)
  if (!data) {
    throw new SetupError({
      name: path,
      what: 'is damaged or is not a checkpoint: remove it to start again (at --from), or choose another file',
    })
  }
  for (const [name, configured, stored] of [
    ['PARTNER_API_URL', feed.hub, data.hub],
    ['PARTNER_CLIENT_ID', feed.client, data.client],
    ['EVENT_TIME_ZONE', feed.zone, data.zone],
  ]) {
    if (configured !== stored) {
      throw new SetupError({
        name: path,
        what: `is a checkpoint for ${name}=${stored}, but ${name} is ${configured}: choose another file or change the variable`,
      })
    }
  }
  return { at: data.checkpoint, generation: data.generation, begunAt: data.begunAt }
}

export function writeCheckpoint({ at, generation, begunAt }: Checkpoint, feed: Feed): string {
  const content = {
    format,
    version: 1,
    ...feed,
    checkpoint: formatLocal(at),
    generation,
    begunAt: formatLocal(begunAt),
  }
  return `${JSON.stringify(content, null, 2)}\n`
}
