import { formatLocal } from './local-time.ts'

/** The envelope of an event as a search returns it. */
interface Envelope {
  id: string
  /** Local time in the hub's zone, without zone. */
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
  /** Local time in the hub's zone: the milliseconds since the epoch at which a UTC clock shows it. */
  local: number
}

export function toEnvelope(event: StoredEvent): Envelope {
  const { local, id, type, version, payload, ...context } = event
  return { id, timestamp: formatLocal(local), type, version, ...context, payload }
}
