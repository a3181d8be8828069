import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { isWord } from './words.ts'

/**
 * A random key of this process, so that a digest in a report cannot confirm a guessed value. A key object is faster
 * than its bytes, which Node would prepare again for every digest.
 */
const digestKey = createSecretKey(randomBytes(32))

/** A short keyed digest: shows whether values are equal without revealing them. */
export function digest(value: string): string {
  return createHmac('sha256', digestKey).update(value).digest('base64url').slice(0, 8)
}

/** Replaces a string with its length and keyed digest. */
export function masked(value: string): string {
  return `<${value.length} characters, #${digest(value)}>`
}

/**
 * The shape of a JSON value: member names and types, never values.
 * An array shows its length and up to three different shapes of its elements. The names in an object with more than 40
 * members are omitted, since they are probably data.
 * @param depth levels of arrays and objects with their content; deeper ones show only `array(3)` or `object`
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

/** A name, masked unless it looks like words. */
export function shownName(name: string): string {
  return isWord(name) ? name : masked(name)
}
