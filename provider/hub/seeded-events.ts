import { hash } from 'node:crypto'
import type { StoredEvent } from './events.ts'
import { EVENT_ZONE, wallClock } from './local-time.ts'

/** The events that the hub contains at the start. */
export interface EventSupply {
  count: number
  /** Hours over which the events are spread evenly. */
  hours: number
}

const EVENT_SUPPLY: EventSupply = { count: 720, hours: 72 }
const HOUR = 3_600_000
const CLAIM_NAMES = ['email', 'given_name', 'family_name', 'phone_number', 'address', 'locale', 'birthdate']

/** Generates numbers from 0 (inclusive) to 1 (exclusive) that depend only on the seed (algorithm: mulberry32). */
function randomFrom(seed: string): () => number {
  let state = hash('sha256', seed, 'buffer').readUInt32LE()
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/**
 * The hub's events of the `hours` that end 1 min before `now`, sorted by local time. The same seed and time give the
 * same events.
 *
 * Both payload shapes and both versions occur. Some events share a timestamp, fall on a full second, or lack optional
 * members such as `sphere`.
 * @param subjects subject identifiers of users of the application; some events have one of them as `subscriber`
 * @param zone IANA zone of the local times
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
    const sharesTimestamp = index > 0 && random() < 0.12
    if (!sharesTimestamp) {
      instant = end - hours * HOUR + Math.floor(step * index + random() * step * 0.9)
      if (random() < 0.15) instant = Math.floor(instant / 1000) * 1000
    }
    const names = CLAIM_NAMES.filter(() => random() < 0.3)
    const shape = random()
    const claims = Object.fromEntries(names.map((name) => [name, `${name}-${Math.floor(random() * 1e6)}`]))
    const changedClaims = names.length > 0 ? names : [pick(CLAIM_NAMES)]
    events.push({
      id: `evt-${hash('sha256', `${seed} ${index}`).slice(0, 24)}`,
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
