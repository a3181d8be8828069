/**
 * Whether a name looks like words and not like an identifier or a token. It has at most 4 digits. If it has more than
 * 12 characters, its words have at least 3 on average. The target also chooses names, and a name could be a secret.
 */
export function isWord(name: string): boolean {
  if (!/^[\w$.:/#-]{0,60}$/.test(name)) return false
  const pieces = name.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? []
  const digits = name.match(/\d/g)?.length ?? 0
  const length = pieces.join('').length
  return digits <= 4 && (length <= 12 || length / pieces.length >= 3)
}
