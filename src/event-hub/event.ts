import { masked } from '../evidence/shape.ts'
import { isObject } from '../text/json.ts'
import { type LocalDateTime, parseLocal, type WrittenTime, withoutFinalZeros } from './local-time.ts'
import { eventProblems, type SchemaDeviation } from './schemas.ts'

/** An item of a search result. It contains personal data. */
export interface HubEvent {
  /** The item as received; empty if the item is not an object, which is a problem of the page. */
  readonly members: Readonly<Record<string, unknown>>
  /** The parsed timestamp; undefined if it is absent or not a local date-time. */
  readonly time: WrittenTime | undefined
  /** Deviations from schemas/event.schema.json. */
  readonly problems: readonly SchemaDeviation[]
}

export function readEvent(item: unknown): HubEvent {
  return isObject(item) ? new ReadEvent(item) : { members: {}, time: undefined, problems: [] }
}

class ReadEvent implements HubEvent {
  readonly members: Readonly<Record<string, unknown>>
  readonly problems: readonly SchemaDeviation[]
  #time: WrittenTime | undefined | 'unread' = 'unread'

  constructor(members: Readonly<Record<string, unknown>>) {
    this.members = members
    this.problems = eventProblems(members)
  }

  /** Parsed on first use, because parsing a time takes longer than reading the rest of the event. */
  get time(): WrittenTime | undefined {
    if (this.#time === 'unread') {
      const { timestamp } = this.members
      this.#time = typeof timestamp === 'string' ? parseLocal(timestamp) : undefined
    }
    return this.#time
  }
}

/** The readable times of events, in the order of the events. */
export function timesOf(events: readonly HubEvent[]): LocalDateTime[] {
  return events.flatMap(({ time }) => (time ? [time.at] : []))
}

/** JSON text that is the same for equal values: members are sorted by name at every level. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value).sort()
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`
}

/** Whether an id is a non-empty string. Blanks count as empty, as in schemas/event.schema.json. */
export function isUsableId(id: unknown): id is string {
  return typeof id === 'string' && id.trim() !== ''
}

export function hasUsableId({ members: { id } }: HubEvent): boolean {
  return isUsableId(id)
}

/** Returns a function that caches `compute` by event, because checks compare an event with dozens of searches. */
export function oncePerEvent(compute: (event: HubEvent) => string): (event: HubEvent) => string {
  const computed = new WeakMap<HubEvent, string>()
  return (event) => {
    const known = computed.get(event)
    if (known !== undefined) return known
    const text = compute(event)
    computed.set(event, text)
    return text
  }
}

/** The timestamp of an event without final zeros, so that equal times are equal texts; null if it is absent. */
export function timestampOf({ members: { timestamp } }: HubEvent): unknown {
  return typeof timestamp === 'string' ? withoutFinalZeros(timestamp) : (timestamp ?? null)
}

/** The identity of an event: its id and time, without its content. */
export const identityOf = oncePerEvent((event) => canonical([event.members.id ?? null, timestampOf(event)]))

/** The first problem that each event has with the member at a path, or with an element of it if it is an array. */
export function problemsAt(events: readonly HubEvent[], path: string): SchemaDeviation[] {
  return events.flatMap(({ problems }) => {
    const problem = problems.find((candidate) => candidate.path.replace(/\/\d+$/, '') === path)
    return problem ? [problem] : []
  })
}

/** The distinct strings among the values, sorted. Strings that do not look like a name are masked. */
export function namesAmong(values: readonly unknown[]): string[] {
  const names = values.flatMap((value) => (typeof value === 'string' ? [value] : []))
  const shown = names.map((name) => (/^[\w.: -]{1,80}$/.test(name) ? name : masked(name)))
  return [...new Set(shown)].sort()
}
