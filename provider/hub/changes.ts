import { createHash } from 'node:crypto'
import type { Application, User } from '../deployment.ts'
import type { StoredEvent } from './events.ts'

/** A claim that a user has just changed. */
export interface Change {
  user: User
  claim: string
  value: string
  /** What the application knows the user as. */
  subject: string
  /** What applications of a Sphere know the user as. */
  subjectIn: (sphere: string) => string
  application: Application
  /** Wall-clock milliseconds in the hub's zone. */
  local: number
  /** How many changes there were before. */
  serial: number
}

/** The event of a change. The two payload shapes and the two versions take turns. */
export function changeEvent(
  seed: string,
  { claim, value, subject, application, local, serial }: Change,
): StoredEvent {
  const even = serial % 2 === 0
  return {
    id: `evt-${createHash('sha256').update(`${seed} change ${serial} ${local}`).digest('hex').slice(0, 24)}`,
    local,
    type: 'ClaimValuesChanged',
    version: even ? '1' : '1.0',
    sphere: application.sphere,
    subscriber: subject,
    application: application.id,
    payload: even ? { claims: { [claim]: value } } : { changedClaims: [claim] },
  }
}
