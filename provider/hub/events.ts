import { formatLocal } from './local-time.ts'

/** The envelope of an event as a search returns it. */
interface Envelope {
  id: string
  /** Local time in the hub's zone, such as `2026-03-01T14:05:00.000`. */
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
  /** Local time in the hub's zone, as a number (see local-time.ts). */
  local: number
}

export function toEnvelope(event: StoredEvent): Envelope {
  const { local, id, type, version, payload, ...context } = event
  return { id, timestamp: formatLocal(local), type, version, ...context, payload }
}
