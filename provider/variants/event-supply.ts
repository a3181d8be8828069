import { type Alter, withSurface } from '../alteration.ts'
import type { StoredEvent } from '../hub/events.ts'

const HOUR = 3_600_000

/** A hub with only `count` events, all at the same time five hours ago. */
function only(count: number): Alter {
  return ({ hub }) => {
    const eventAt = (local: number, index: number): StoredEvent => ({
      id: `evt-few-${index}`,
      local: local - 5 * HOUR,
      type: 'ClaimValuesChanged',
      version: '1',
      payload: { changedClaims: ['locale'] },
    })
    const { order } = hub
    hub.order = (ascending) => order(ascending.filter(({ id }) => id.startsWith('evt-few-')))
    hub.arrivals.push((searches, local) =>
      searches > 0 ? [] : Array.from({ length: count }, (_, index) => eventAt(local, index)),
    )
  }
}

const unspecified = 'How many events a window has depends on the users.'
const needsManyEvents = ['EVENT-PAGE-DEFAULT', 'EVENT-PAGE-SIZE-DEFAULT', 'EVENT-TIME-ORDER']
const needsTwoEvents = ['EVENT-PAGINATION', 'EVENT-PAGE-SIZE-MAXIMUM', 'EVENT-WINDOWS-ADJACENT']

/** Lawful hubs with few events. */
export const eventSupplyVariants = withSurface('hub', [
  {
    name: 'no-events',
    summary: 'Has no events.',
    concerns: ['EVENT-SEARCH', 'EVENT-PAGE-SHAPE', 'EVENT-TOTAL'],
    unspecified,
    mustPass: ['EVENT-SEARCH', 'EVENT-WINDOW-LIMIT', 'EVENT-TIME-INVALID'],
    mustBeInconclusive: [...needsManyEvents, ...needsTwoEvents, 'EVENT-ID', 'EVENT-TIMESTAMP'],
    mayBeInconclusive: ['EVENT-*'],
    alter: only(0),
  },
  {
    name: 'one-event',
    summary: 'Has one event.',
    concerns: ['EVENT-SEARCH', 'EVENT-TIMESTAMP', 'EVENT-FROM-INCLUSIVE', 'EVENT-TO-EXCLUSIVE'],
    unspecified,
    mustPass: ['EVENT-SEARCH', 'EVENT-TOTAL', 'EVENT-ID', 'EVENT-TIMESTAMP', 'EVENT-FROM-INCLUSIVE'],
    mustBeInconclusive: [...needsManyEvents, ...needsTwoEvents],
    alter: only(1),
  },
  {
    name: 'simultaneous-events',
    summary: 'Has 20 events, all with the same timestamp.',
    concerns: ['EVENT-TIME-ORDER', 'EVENT-PAGINATION', 'EVENT-WINDOWS-ADJACENT'],
    unspecified: 'Events with equal timestamps may be in any order.',
    mustPass: ['EVENT-PAGINATION', 'EVENT-WINDOWS-ADJACENT', 'EVENT-PAGE-SIZE-DEFAULT'],
    mustBeInconclusive: ['EVENT-TIME-ORDER'],
    alter: only(20),
  },
])
