/**
 * Whether a name (of a JSON or form member, a query parameter, a path segment) reads like a word somebody chose
 * and not like an identifier or a token somebody was given: few digits, and longer names made of longer words.
 * Names are written by the target too, and nothing stops it from keying an object by secrets.
 */
export function isWord(name: string): boolean {
  if (!/^[\w$.:/#-]{0,60}$/.test(name)) return false
  const pieces = name.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? []
  const digits = name.match(/\d/g)?.length ?? 0
  const length = pieces.join('').length
  return digits <= 4 && (length <= 12 || length / pieces.length >= 3)
}
