import { closest, distance } from 'fastest-levenshtein'

/** The known name most similar to a misspelt one. Undefined if none is similar: a wrong suggestion would mislead. */
export function nearName(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined
  const nearest = closest(name, known)
  return distance(name, nearest) <= Math.max(2, name.length / 4) ? nearest : undefined
}
