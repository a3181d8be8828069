/**
 * Whether a name looks like words and not like an identifier or a token: it has at most 4 digits, and in a long name
 * the words have 3 characters on average. The target chooses names too, and could use secrets as names of members.
 */
export function isWord(name: string): boolean {
  if (!/^[\w$.:/#-]{0,60}$/.test(name)) return false
  const pieces = name.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? []
  const digits = name.match(/\d/g)?.length ?? 0
  const length = pieces.join('').length
  return digits <= 4 && (length <= 12 || length / pieces.length >= 3)
}
