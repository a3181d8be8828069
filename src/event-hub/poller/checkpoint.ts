import { z } from 'zod'
import { isObject } from '../../http/json.ts'
import { SetupError } from '../../target/problem.ts'
import { formatLocal, type LocalDateTime, parseLocal } from '../local-time.ts'

/** Whose events a checkpoint is about: that of another hub, partner or zone says nothing here. */
export interface Feed {
  /** {partner_api_url}. */
  readonly hub: string
  /** X-Client-Id. */
  readonly client: string
  /** IANA zone of the hub's local times. */
  readonly zone: string
}

/** What a poller has to know after a restart, but for the ids of events, which are in files of their own. */
export interface Checkpoint {
  /** All events before this local time of the hub have been handed over. */
  readonly at: LocalDateTime
  /** Number of the file that ids are written to, and the checkpoint at which it was begun. */
  readonly generation: number
  readonly begunAt: LocalDateTime
}

const format = 'plumbline-event-checkpoint'
const localTime = z.string().transform((text, context) => {
  const time = parseLocal(text)
  if (time) return time.at
  context.addIssue('is no local date-time')
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
 * @throws {SetupError} where it is damaged, of another version, or about other events
 */
export function parseCheckpoint(text: string, path: string, feed: Feed): Checkpoint {
  const json = jsonOf(text)
  if (isObject(json) && json.format === format && json.version !== 1) {
    throw new SetupError([
      {
        name: path,
        what: `is a checkpoint of version ${JSON.stringify(json.version)}, and this Plumbline knows version 1 only; use the one that wrote it, or name another file`,
      },
    ])
  }
  const { data } = schema.safeParse(json)
  if (!data) {
    throw new SetupError([
      {
        name: path,
        what: 'is damaged or no checkpoint; remove it to begin anew (--from says where), or name another file',
      },
    ])
  }
  for (const [name, is, was] of [
    ['PARTNER_API_URL', feed.hub, data.hub],
    ['PARTNER_CLIENT_ID', feed.client, data.client],
    ['EVENT_TIME_ZONE', feed.zone, data.zone],
  ]) {
    if (is !== was) {
      throw new SetupError([
        {
          name: path,
          what: `is a checkpoint for ${name}=${was}, but ${name} is ${is}; name another file or change the variable`,
        },
      ])
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

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
