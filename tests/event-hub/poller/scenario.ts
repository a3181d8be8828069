/** A failure of one request, or an event just before its response. */
export type Trouble =
  | 'none'
  | 'unavailable'
  | 'reset'
  | 'no page'
  | { readonly retryAfterMs: number | undefined }
  /** An event appears in the window that is being read. */
  | 'insert'
  /** The hub returns an event a second time, with the same content. */
  | 'repeat'
  /** The page lacks an event that its total counts. */
  | 'short page'

interface LiveEvent {
  /** When it happens, in milliseconds after the start. */
  readonly after: number
  /** Delay until a search finds it, in milliseconds. */
  readonly stored: number
}

/** Behaviours of a hub: all lawful except the last, which a poller tolerates. */
export const hubKinds = ['lawful', 'newest first', 'twice', 'small pages', 'inclusive to'] as const

export interface Scenario {
  /** Milliseconds since the epoch. */
  readonly start: number
  readonly hub: (typeof hubKinds)[number]
  readonly pageSize: number
  /** How long before the start each past event occurred. */
  readonly past: readonly number[]
  readonly live: readonly LiveEvent[]
  /** One for each request in order; later requests succeed. */
  readonly troubles: readonly Trouble[]
  /**
   * For each process in order, the step at which it is killed, and the share of its current write that reaches the
   * disk; later processes survive.
   */
  readonly kills: readonly { readonly step: number; readonly share: number }[]
  /** Number of polls after which a process ends by itself. */
  readonly polls: number
}
