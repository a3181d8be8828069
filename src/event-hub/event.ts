import { masked } from '../evidence/shape.ts'
import { isObject } from '../http/json.ts'
import { type LocalDateTime, parseLocal, type WrittenTime } from './local-time.ts'
import { eventProblems, type Problem } from './schemas.ts'

/**
 * An item of a search result, whatever it is made of: what cannot be read is absent here and
 * appears among the problems. Holds other people's data.
 */
export interface HubEvent {
  /** The item as it came; without members where it is no object, which is a problem of the page. */
  readonly members: Readonly<Record<string, unknown>>
  readonly time: WrittenTime | undefined
  /** Where it departs from schemas/event.schema.json. */
  readonly problems: readonly Problem[]
}

export function readEvent(item: unknown): HubEvent {
  return isObject(item) ? new ReadEvent(item) : { members: {}, time: undefined, problems: [] }
}

class ReadEvent implements HubEvent {
  readonly members: Readonly<Record<string, unknown>>
  readonly problems: readonly Problem[]
  #time: WrittenTime | undefined | 'unread' = 'unread'

  constructor(members: Readonly<Record<string, unknown>>) {
    this.members = members
    this.problems = eventProblems(members)
  }

  /** Read when it is asked for: that costs more than everything else about an event. */
  get time(): WrittenTime | undefined {
    if (this.#time === 'unread') {
      const { timestamp } = this.members
      this.#time = typeof timestamp === 'string' ? parseLocal(timestamp) : undefined
    }
    return this.#time
  }
}

/** Times of events, of those that have one that can be read, in the order given. */
export function timesOf(events: readonly HubEvent[]): LocalDateTime[] {
  return events.flatMap(({ time }) => (time ? [time.at] : []))
}

/** A text that is equal for equal content: JSON with members sorted by name at every level. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : member,
  )
}

/** What tells an event from others: its id and time, whatever they are made of; its content is not looked at. */
export function identityOf({ members }: HubEvent): string {
  return canonical([members.id ?? null, members.timestamp ?? null])
}

/**
 * What is wrong with one member, or an element of it, one problem for each event that has one.
 * Members below it are not looked at.
 */
export function problemsAt(events: readonly HubEvent[], path: string): Problem[] {
  return events.flatMap(({ problems }) => {
    const problem = problems.find((candidate) => candidate.path.replace(/\/\d+$/, '') === path)
    return problem ? [problem] : []
  })
}

/** Names that occur, sorted; what does not look like a name is masked. */
export function namesAmong(values: readonly unknown[]): string[] {
  const names = values.flatMap((value) => (typeof value === 'string' ? [value] : []))
  const shown = names.map((name) => (/^[\w.: -]{1,80}$/.test(name) ? name : masked(name)))
  return [...new Set(shown)].sort()
}
