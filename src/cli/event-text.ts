import { styleText } from 'node:util'
import type { AuditFindings } from '../event-hub/audit.ts'
import type { HubEvent } from '../event-hub/event.ts'
import { masked } from '../evidence/shape.ts'
import type { Target } from '../target/target.ts'
import { isObject } from '../text/json.ts'
import { isUnread, OutputClosed } from './output-closed.ts'

export interface EventTextOptions {
  /** Prints JSON Lines on a terminal too. */
  readonly json?: boolean
  /** Shows claim values and subscribers. */
  readonly reveal?: boolean
}

/**
 * Writes events to standard output: as a table on a terminal, otherwise as JSON Lines. Each call resolves when its
 * events have been written.
 */
export function eventWriter({
  json,
  reveal,
}: EventTextOptions): (events: readonly HubEvent[]) => Promise<void> {
  const asTable = process.stdout.isTTY && !json
  let begun = false
  return async (events) => {
    if (events.length === 0) return
    const lines = events.map((event) => {
      const safe = reveal ? event : withoutValues(event, masked)
      return asTable ? tableLine(safe, reveal) : jsonLine(safe)
    })
    if (asTable && !begun) lines.unshift(headings())
    begun = true
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(lines.join(''), (error) => {
        if (error) reject(isUnread(error) ? new OutputClosed() : error)
        else resolve()
      })
    })
  }
}

/** Members of the envelope without personal data. */
const unmasked = new Set(['id', 'timestamp', 'type', 'version', 'sphere', 'application', 'subscription'])

/**
 * Masks an event. The payload keeps its structure and claim names; a value becomes `<7 characters>` or its type.
 * Equal events stay equal.
 * @param maskOf masks the subscriber, which is the `sub` of a user. With `masked`, which adds a digest, a reader sees
 *   which events concern the same user
 */
export function withoutValues(
  event: HubEvent,
  maskOf: (subscriber: string) => unknown = valueless,
): HubEvent {
  const maskedMember = (name: string, value: unknown) =>
    name === 'subscriber' && typeof value === 'string'
      ? maskOf(value)
      : name === 'payload'
        ? payloadWithoutValues(value)
        : valueless(value)
  const members = Object.entries(event.members).map(([name, value]) => [
    name,
    unmasked.has(name) ? value : maskedMember(name, value),
  ])
  return {
    members: Object.fromEntries(members),
    problems: event.problems,
    get time() {
      return event.time
    },
  }
}

function payloadWithoutValues(payload: unknown): unknown {
  if (!isObject(payload)) return valueless(payload)
  return Object.fromEntries(
    Object.entries(payload).map(([name, value]) => [
      name,
      name === 'changedClaims' && Array.isArray(value) ? value : valueless(value),
    ]),
  )
}

function valueless(value: unknown): unknown {
  if (value === null) return null
  if (typeof value === 'string') return `<${value.length} characters>`
  if (Array.isArray(value)) return value.map(valueless)
  if (!isObject(value)) return `<${typeof value}>`
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, valueless(member)]))
}

function jsonLine({ members }: HubEvent): string {
  return `${JSON.stringify(members)}\n`
}

export function zoneText({ eventTimeZone }: Target): string {
  return eventTimeZone === 'unknown'
    ? 'All times are local times of the Event Hub; EVENT_TIME_ZONE is unknown'
    : `All times are local times of ${eventTimeZone} (EVENT_TIME_ZONE)`
}

/** The findings of an audit of a whole window, in one line. */
export function auditText(findings: AuditFindings): string {
  const { order, ids, events, repeated, conflicting, outside, malformed, whole } = findings
  const members = Object.entries(malformed).map(([path, count]) => `${path} ${count}`)
  const problems = [
    ...(whole ? [] : ['the number of events differs from total']),
    ...(ids + repeated + conflicting < events
      ? [`${events - ids - repeated - conflicting} without an id`]
      : []),
    ...(repeated > 0 ? [`${repeated} repeated`] : []),
    ...(conflicting > 0 ? [`${conflicting} repeated with different content`] : []),
    ...(outside > 0 ? [`${outside} outside the window`] : []),
    ...(members.length > 0 ? [`schema violations: ${members.join(', ')}`] : []),
  ]
  const times = `times ${order}`
  return problems.length === 0 ? `${times}; no problems found` : `${times}; ${problems.join('; ')}`
}

/** Columns of the table and their widths. The least needed column is last, because a narrow terminal cuts it off. */
const columns = [
  ['timestamp', 23],
  ['type', 18],
  ['version', 7],
  ['claims', 36],
  ['subscriber', 28],
  ['id', 0],
] as const

function headings(): string {
  const names = columns.map(([name, width]) => name.padEnd(width)).join('  ')
  return `${styleText('bold', names.slice(0, process.stdout.columns))}\n`
}

function tableLine({ members }: HubEvent, reveal = false): string {
  const cellOf = (name: string) =>
    name === 'claims' ? claimsOf(members.payload, reveal) : plain(members[name] ?? '-')
  const line = columns.map(([name, width]) => cellOf(name).padEnd(width)).join('  ')
  const width = process.stdout.columns
  return line.length <= width ? `${line}\n` : `${line.slice(0, width - 1)}…\n`
}

function claimsOf(payload: unknown, reveal: boolean): string {
  const { claims, changedClaims } = isObject(payload) ? payload : {}
  const changed = Array.isArray(changedClaims) ? changedClaims : []
  const given = isObject(claims)
    ? Object.entries(claims).map(([name, value]) => `${name}=${reveal ? plain(value) : '…'}`)
    : []
  return [...changed.map(plain), ...given].map(plain).join(', ') || '-'
}

/** A value on one line, without control characters. */
function plain(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.replaceAll(/\p{Cc}+/gu, ' ')
}
