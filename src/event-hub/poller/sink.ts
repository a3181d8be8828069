import { createHash } from 'node:crypto'
import { SetupError } from '../../target/problem.ts'
import { isObject, jsonIn } from '../../text/json.ts'
import { canonical, type HubEvent, isUsableId } from '../event.ts'
import { type Disk, findLines } from './disk.ts'

/** Keys of events that a sink contains, and the position of the sink after them. */
interface Delivered {
  readonly keys: readonly string[]
  readonly position: number
}

/**
 * The destination of events. A process can be killed after it has delivered events, before it remembers them. A sink
 * that can list its events still receives each event exactly once. Any other sink receives the unremembered events
 * again.
 */
export interface Sink {
  /** Lists the events delivered after a position that an earlier call returned; empty if the sink cannot list them. */
  since(position: number): Promise<Delivered>
  /**
   * Stores events durably before the promise resolves.
   * @returns the new position of the sink
   */
  take(events: readonly HubEvent[]): Promise<number>
}

/** The key of an event: its id or, without a usable id, a digest of its content. */
export function keyOf(members: Readonly<Record<string, unknown>>): string {
  const { id } = members
  return isUsableId(id) ? id : `sha256:${createHash('sha256').update(canonical(members)).digest('base64url')}`
}

/** A sink that cannot list its events, so that it may receive events again after a kill. */
export function atLeastOnce(take: (events: readonly HubEvent[]) => Promise<void>): Sink {
  return {
    since: async () => ({ keys: [], position: 0 }),
    take: async (events) => {
      await take(events)
      return 0
    },
  }
}

/**
 * A file of JSON Lines that contains each event exactly once.
 * @param shown transforms an event before it is written; it must keep the id
 */
export function eventFile(
  disk: Disk,
  path: string,
  shown: (event: HubEvent) => HubEvent = (event) => event,
): Sink {
  return {
    async since(position) {
      const { lines, end, tail } = await findLines(disk, path, position)
      const keys = lines.map((line) => keyOf(membersOf(line, path)))
      if (tail === '') return { keys, position: end }
      // Truncate only the beginning of an event, since the path may be that of another file by mistake.
      if (isBegun(tail)) {
        await disk.truncate(path, end)
        return { keys, position: end }
      }
      keys.push(keyOf(membersOf(tail, path)))
      return { keys, position: await disk.append(path, '\n') }
    },
    take: (events) =>
      disk.append(path, events.map((event) => `${JSON.stringify(shown(event).members)}\n`).join('')),
  }
}

/** Whether a text is the beginning of an incomplete object. */
function isBegun(text: string): boolean {
  return /^\{("|$)/.test(text) && jsonIn(text) === undefined
}

function membersOf(line: string, path: string): Readonly<Record<string, unknown>> {
  const value = jsonIn(line)
  if (isObject(value)) return value
  throw new SetupError({
    name: path,
    what: 'has a line that is not an event: choose a file that contains only events or does not exist',
  })
}
