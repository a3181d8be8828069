import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpResponse } from '../../http/response.ts'
import { isLoopback } from '../../target/safety.ts'
import { changeType } from '../events/claim-change.ts'
import type { Script } from './registry.ts'

/** A documented event type that no action of a run causes. */
export const otherType = 'user.deleted'

interface Receiver {
  readonly filters: readonly string[]
  readonly script: Script
  /** The receiver responds after 8 s or more, so the run has it only if ENABLE allows the effect `slow`. */
  readonly slow?: true
}

/** The receivers of the events of one claim change, with their filters and responses. */
const table = {
  accepting: { filters: [changeType], script: [{ status: 200 }] },
  'open to all types': { filters: [], script: [{ status: 204 }] },
  'for another type': { filters: [otherType], script: [{ status: 200 }] },
  'always failing': { filters: [changeType], script: [{ status: 500 }] },
  'throttling, then down': { filters: [changeType], script: [{ status: 429 }, { status: 503 }] },
  'not responding': { filters: [changeType], script: ['hang-up'] },
  refusing: { filters: [changeType], script: [{ status: 400 }] },
  'not found, for two types': { filters: [otherType, changeType], script: [{ status: 404 }] },
  'slow to respond': {
    filters: [changeType],
    script: [{ status: 200, afterMs: 8000 }, { status: 200 }],
    slow: true,
  },
  'too slow to respond': {
    filters: [changeType],
    script: [{ status: 200, afterMs: 12_000 }, { status: 200 }],
    slow: true,
  },
} as const satisfies Readonly<Record<string, Receiver>>

type ScriptedReceiver = keyof typeof table

/** A receiver of the table, or that of the updated or the deleted subscription. */
export type ReceiverName = ScriptedReceiver | 'updated' | 'deleted'

/** Response time of the slowest receiver, in milliseconds, and 1 s for the sender to detect the delay. */
export const slowestMs = 13_000

/** Receivers whose failures require the target to repeat a delivery until the last attempt. */
export const failing = ['always failing', 'throttling, then down', 'not responding'] as const

export const receivers = Object.entries(table) as readonly (readonly [ScriptedReceiver, Receiver])[]

/**
 * Pauses between requests until a change must be visible, in milliseconds. The specification states no maximum delay.
 */
const patience = { loopback: [200, 800], network: [1000, 4000] } as const

/**
 * Repeats a request until its response shows a change, which may become visible after a delay.
 * @returns the first response that is as expected; if none of three is, the last
 */
export async function settled(
  partnerApiUrl: string,
  send: () => Promise<HttpResponse>,
  isExpected: (response: HttpResponse) => boolean,
): Promise<HttpResponse> {
  const { hostname } = new URL(partnerApiUrl)
  let response = await send()
  for (const pauseMs of isLoopback(hostname) ? patience.loopback : patience.network) {
    if (isExpected(response)) break
    await sleep(pauseMs)
    response = await send()
  }
  return response
}
