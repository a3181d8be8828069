import { changeType } from '../../event-hub/claim-change.ts'
import type { Script } from './registry.ts'

/** A documented type of event that nothing in a run brings about. */
export const otherType = 'user.deleted'

interface Receiver {
  readonly filters: readonly string[]
  readonly script: Script
  /** Takes seconds to answer, so that it is there only where checks may wait. */
  readonly slow?: true
}

/** Who receives the events of one claim change: what each subscribes to, and what it answers. */
const table = {
  accepting: { filters: [changeType], script: [{ status: 200 }] },
  'open to all types': { filters: [], script: [{ status: 204 }] },
  'for another type': { filters: [otherType], script: [{ status: 200 }] },
  'always failing': { filters: [changeType], script: [{ status: 500 }] },
  'throttling, then down': { filters: [changeType], script: [{ status: 429 }, { status: 503 }] },
  'not answering': { filters: [changeType], script: ['hang-up'] },
  refusing: { filters: [changeType], script: [{ status: 400 }] },
  'not found, for two types': { filters: [otherType, changeType], script: [{ status: 404 }] },
  'slow to answer': {
    filters: [changeType],
    script: [{ status: 200, afterMs: 8000 }, { status: 200 }],
    slow: true,
  },
  'too slow to answer': {
    filters: [changeType],
    script: [{ status: 200, afterMs: 12_000 }, { status: 200 }],
    slow: true,
  },
} as const satisfies Readonly<Record<string, Receiver>>

type ReceiverName = keyof typeof table

/** A receiver, or the target of the subscription that was updated or deleted. */
export type TargetName = ReceiverName | 'updated' | 'deleted'

/** Longest time the slowest receiver takes, with some for the sender to notice, in milliseconds. */
export const slowestMs = 13_000

/** Those whose deliveries have to be attempted until the last time. */
export const failing = ['always failing', 'throttling, then down', 'not answering'] as const

/** Receivers by name. */
export const receivers = Object.entries(table) as readonly (readonly [ReceiverName, Receiver])[]
