import { createHmac, randomBytes } from 'node:crypto'
import { isWord } from './words.ts'

/**
 * A key that lives as long as the process: equal values have equal digests within a run,
 * and nobody can confirm a guessed value from a report.
 */
const digestKey = randomBytes(32)

/** A short keyed digest that tells equal from unequal without telling the value. */
export function digest(value: string): string {
  return createHmac('sha256', digestKey).update(value).digest('base64url').slice(0, 8)
}

/** What may be said of a string nobody may read: its length and keyed digest. */
export function masked(value: string): string {
  return `<${value.length} characters, #${digest(value)}>`
}

/**
 * The shape of a JSON value: member names and types, never values.
 * Arrays show the shapes that occur in them and how many elements there are. The names of an
 * object that is keyed by data (more than 40 members) are not shown either.
 */
export function shapeOf(value: unknown, depth = 4): unknown {
  if (value === null) return 'null'
  if (typeof value === 'string') return `string(${value.length})`
  if (typeof value !== 'object') return typeof value
  if (depth === 0) return Array.isArray(value) ? `array(${value.length})` : 'object'
  if (Array.isArray(value)) {
    const shapes = new Map<string, unknown>()
    for (const element of value) {
      const shape = shapeOf(element, depth - 1)
      shapes.set(JSON.stringify(shape), shape)
    }
    return { [`array(${value.length})`]: [...shapes.values()].slice(0, 3) }
  }
  const members = Object.entries(value)
  if (members.length > 40) return `object(${members.length} members)`
  return Object.fromEntries(members.map(([name, member]) => [shownName(name), shapeOf(member, depth - 1)]))
}

/** A name as it may be shown: names are part of the shape unless they look like data. */
export function shownName(name: string): string {
  return isWord(name) ? name : masked(name)
}
