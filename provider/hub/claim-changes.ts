import { hash } from 'node:crypto'
import { type Application, type Deployment, subjectFor, type User } from '../deployment.ts'
import type { StoredEvent } from './events.ts'

/** A claim that a user has just changed. */
export interface ClaimChange {
  user: User
  claim: string
  value: string
  /** Subject identifier of the user for the application. */
  subject: string
  /** Subject identifier of the user in a Sphere. */
  subjectIn: (sphere: string) => string
  application: Application
  /** When the user changed the claim, as local time in the hub's zone. */
  local: number
  /** Number of earlier changes. */
  serial: number
}

interface ClaimChangeSetup {
  seed: string
  deployment: Deployment
  /** Edits an event before it is published. */
  edits: readonly ((event: StoredEvent, change: ClaimChange) => void)[]
  /** Returns the current local time in the hub's zone. */
  local: () => number
  publish: (event: StoredEvent) => void
}

/** Publishes an event for each claim that changes. */
export class ClaimChanges {
  private readonly setup: ClaimChangeSetup
  private serial = 0

  constructor(setup: ClaimChangeSetup) {
    this.setup = setup
  }

  report(user: User, claim: string, value: string): void {
    const { seed, deployment, edits, local, publish } = this.setup
    const { application } = deployment
    const subjectIn = (sphere: string) => subjectFor(seed, sphere, user.account)
    const change: ClaimChange = {
      user,
      claim,
      value,
      subject: subjectIn(application.sphere),
      subjectIn,
      application,
      local: local(),
      serial: this.serial,
    }
    this.serial += 1
    const event = eventOf(change, seed)
    for (const edit of edits) edit(event, change)
    publish(event)
  }

  /**
   * Publishes the event of an invented change, at each call for the next user. The event reports a new e-mail
   * address, but the user keeps the old one.
   */
  reportInvented(): void {
    const { users } = this.setup.deployment
    const user = users[this.serial % users.length] ?? users[0]
    this.report(user, 'email', `new-${this.serial}@users.invalid`)
  }
}

/** The event of a change. The two payload shapes and the two versions alternate. */
function eventOf(
  { claim, value, subject, application, local, serial }: ClaimChange,
  seed: string,
): StoredEvent {
  const isEven = serial % 2 === 0
  return {
    id: `evt-${hash('sha256', `${seed} change ${serial} ${local}`).slice(0, 24)}`,
    local,
    type: 'ClaimValuesChanged',
    version: isEven ? '1' : '1.0',
    sphere: application.sphere,
    subscriber: subject,
    application: application.id,
    payload: isEven ? { claims: { [claim]: value } } : { changedClaims: [claim] },
  }
}
