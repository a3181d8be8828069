import type { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]

/** `1 check`, `2 checks`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** What happened and what to do about it, as one sentence. */
export function withAdvice(what: string, advice: string | null | undefined): string {
  return advice ? `${what}; ${advice}` : what
}

/** A text as the beginning of a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** `840 ms`, `12.4 s`, `3 min 20 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/**
 * Ids in one line; of more than `most`, the first three and how many more there are.
 * @param where a note on where all of them are
 */
export function someOf(ids: readonly string[], where = '', most = 4): string {
  const shown = 3
  if (ids.length <= most) return ids.join(', ')
  return `${ids.slice(0, shown).join(', ')}, and ${ids.length - shown} more${where}`
}

/** To the minute, of an ISO 8601 time: `2026-11-20 03:00`. */
export function minuteOf(time: string): string {
  return time.slice(0, 16).replace('T', ' ')
}

/** Lines of at most `width` characters, broken at spaces; all but the first begin `hang` characters in. */
export function wrap(text: string, width: number, hang: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const part of text.match(/\s*\S+/g) ?? []) {
    if (line !== '' && line.length + part.length > width) {
      lines.push(line)
      line = ' '.repeat(hang) + part.trimStart()
    } else {
      line += part
    }
  }
  return [...lines, line]
}
