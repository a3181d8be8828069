/**
 * Whether a name looks like words, such as `code_verifier`, and not like an identifier or a token. The target chooses
 * some names, so a name could be a secret. Limits: 60 characters and 4 digits. A name with more than 12 letters and
 * digits needs parts (`code`, `verifier`) of at least 3 characters on average.
 */
export function isWord(name: string): boolean {
  if (!/^[\w$.:/#-]{0,60}$/.test(name)) return false
  const pieces = name.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? []
  const digits = name.match(/\d/g)?.length ?? 0
  const length = pieces.join('').length
  return digits <= 4 && (length <= 12 || length / pieces.length >= 3)
}
