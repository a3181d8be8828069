import { createHash } from 'node:crypto'
import { isObject } from '../../http/json.ts'
import { SetupError } from '../../target/problem.ts'
import { canonical, type HubEvent } from '../event.ts'
import type { Disk } from './disk.ts'
import { findLines } from './lines.ts'

/** Keys of events that a sink holds, and how far it is. */
interface HandedOver {
  readonly keys: readonly string[]
  readonly position: number
}

/**
 * Where events are handed over to. Between handing over and remembering it a process can be killed, so a sink that
 * can say what it holds gets every event exactly once, and one that cannot gets those events again.
 */
export interface Sink {
  /** What was handed over after a position that an earlier call returned; nothing where that is not known. */
  since(position: number): Promise<HandedOver>
  /**
   * Takes events for good: when the promise resolves, they are the sink's.
   * @returns how far the sink is now
   */
  take(events: readonly HubEvent[]): Promise<number>
}

/** What an event is recognised by: its id; where a hub gives none, its content. */
export function keyOf(members: Readonly<Record<string, unknown>>): string {
  const { id } = members
  return typeof id === 'string' && id !== ''
    ? id
    : `sha256:${createHash('sha256').update(canonical(members)).digest('base64url')}`
}

/** A sink that cannot say what it holds: events may come to it again where a process is killed in between. */
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
 * A file that events are appended to, one JSON object a line, and read back from: each is in it exactly once.
 * @param shown makes of an event what is to stand in the file; its id has to stay
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
      // Only what may be the beginning of an event is cut off: the file may be somebody's who named it by mistake.
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

/** Whether a text is the beginning of an object, and not the whole of it. */
function isBegun(text: string): boolean {
  if (!/^\{("|$)/.test(text)) return false
  try {
    JSON.parse(text)
    return false
  } catch {
    return true
  }
}

function membersOf(line: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line)
    if (isObject(value)) return value
  } catch {
    // Told below.
  }
  throw new SetupError([
    { name: path, what: 'has a line that is no event, so it is not known what it holds; name another file' },
  ])
}
