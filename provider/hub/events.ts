import { createHash } from 'node:crypto'
import { Temporal } from 'temporal-polyfill'

export const EVENT_ZONE = 'Europe/Helsinki'
const HOUR = 3_600_000

/** The envelope of an event as it travels. */
export interface Envelope {
  id: string
  timestamp: string
  type: string
  version: string
  sphere?: string
  subscriber?: string
  application?: string
  subscription?: string
  payload: Record<string, unknown>
}

export interface StoredEvent extends Omit<Envelope, 'timestamp'> {
  /** Wall-clock time in the hub's zone, as milliseconds of a UTC clock showing that time. */
  local: number
}

/** So many events, evenly over so many hours. */
export interface EventSupply {
  count: number
  hours: number
}

const EVENT_SUPPLY: EventSupply = { count: 720, hours: 72 }

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
export function randomFrom(seed: string): () => number {
  let state = createHash('sha256').update(seed).digest().readUInt32LE()
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Converts instants to wall-clock times; the offset is looked up once per quarter of an hour. */
export function wallClock(zone: string): (epochMilliseconds: number) => number {
  const quarter = HOUR / 4
  const offsets = new Map<number, number>()
  return (instant) => {
    const slot = Math.floor(instant / quarter)
    let offset = offsets.get(slot)
    if (offset === undefined) {
      const zoned = Temporal.Instant.fromEpochMilliseconds(slot * quarter).toZonedDateTimeISO(zone)
      offset = zoned.offsetNanoseconds / 1e6
      offsets.set(slot, offset)
    }
    return instant + offset
  }
}

const CLAIM_NAMES = ['email', 'given_name', 'family_name', 'phone_number', 'address', 'locale', 'birthdate']

/**
 * The hub's events: over the hours before `now`, the same for the same seed and time.
 *
 * Both payload shapes and both versions occur, some events share a timestamp, some fall on a full second, and
 * the context fields are missing on some. Sorted by wall-clock time.
 * @param zone in which the wall clock stands
 * @param subjects subject identifiers of users of the application, found as `subscriber` on some events
 */
export function seededEvents(
  seed: string,
  now: number,
  application: string,
  subjects: string[],
  { count, hours }: EventSupply = EVENT_SUPPLY,
  zone = EVENT_ZONE,
): StoredEvent[] {
  const random = randomFrom(seed)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const toLocal = wallClock(zone)
  const end = Math.floor(now / 1000) * 1000 - 60_000
  const step = (hours * HOUR) / count
  const events: StoredEvent[] = []
  let instant = 0
  for (let index = 0; index < count; index++) {
    const together = index > 0 && random() < 0.12
    if (!together) {
      instant = end - hours * HOUR + Math.floor(step * index + random() * step * 0.9)
      if (random() < 0.15) instant = Math.floor(instant / 1000) * 1000
    }
    const names = CLAIM_NAMES.filter(() => random() < 0.3)
    const shape = random()
    const claims = Object.fromEntries(names.map((name) => [name, `${name}-${Math.floor(random() * 1e6)}`]))
    const changedClaims = names.length > 0 ? names : [pick(CLAIM_NAMES)]
    events.push({
      id: `evt-${createHash('sha256').update(`${seed} ${index}`).digest('hex').slice(0, 24)}`,
      local: toLocal(instant),
      type: 'ClaimValuesChanged',
      version: random() < 0.5 ? '1' : '1.0',
      ...(random() < 0.8 && { sphere: 'north' }),
      ...(random() < 0.85 && {
        subscriber: random() < 0.4 ? pick(subjects) : `sub-${Math.floor(random() * 1e9)}`,
      }),
      ...(random() < 0.7 && { application }),
      ...(random() < 0.3 && { subscription: `subscription-${Math.floor(random() * 50)}` }),
      payload: shape < 0.45 ? { claims } : { changedClaims },
    })
  }
  return events.sort((first, second) => first.local - second.local)
}

/** ISO local date-time with milliseconds and without a zone. */
export function formatLocal(local: number): string {
  return new Date(local).toISOString().slice(0, -1)
}
