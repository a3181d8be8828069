/**
 * Whether a name (of a JSON or form member, a query parameter, a path segment) looks like words and not like an
 * identifier or a token: few digits, and longer names consist of longer words. The target also chooses names, and could
 * use secrets as the keys of an object.
 */
export function isWord(name: string): boolean {
  if (!/^[\w$.:/#-]{0,60}$/.test(name)) return false
  const pieces = name.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? []
  const digits = name.match(/\d/g)?.length ?? 0
  const length = pieces.join('').length
  return digits <= 4 && (length <= 12 || length / pieces.length >= 3)
}
