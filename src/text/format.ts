import type { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]

/** `1 check`, `2 checks`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A problem and its advice as one sentence. */
export function withAdvice(what: string, advice: string | null | undefined): string {
  return advice ? `${what}; ${advice}` : what
}

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
 * A list of ids: `A, B`. If there are more than `most`: `A, B, C, and 7 more`.
 * @param where follows `7 more`, for example ` (see summary.md)`
 */
export function someOf(ids: readonly string[], where = '', most = 4): string {
  const shown = 3
  if (ids.length <= most) return ids.join(', ')
  return `${ids.slice(0, shown).join(', ')}, and ${ids.length - shown} more${where}`
}

/** `A`, `A and B`, `A, B and C` */
export function listText(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(names)
}

/** An ISO 8601 time in UTC to the minute: `2026-11-20 03:00 UTC`. */
export function minuteOf(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}

/**
 * Replaces control characters, and characters that change the direction of writing, with visible escapes: `\u001b`.
 * White space stays. The target chooses some texts, and must not control a terminal.
 */
export function printable(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
    /[\0-\x08\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/**
 * Breaks a text at spaces into lines of at most `width` characters. `hang` spaces precede all lines but the first.
 * Line breaks in the text become spaces, and control characters become visible.
 */
export function wrap(text: string, width: number, hang: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const part of printable(text)
    .replace(/[\t-\r]+/g, ' ')
    .match(/\s*\S+/g) ?? []) {
    if (line !== '' && line.length + part.length > width) {
      lines.push(line)
      line = ' '.repeat(hang) + part.trimStart()
    } else {
      line += part
    }
  }
  return [...lines, line]
}

/** At most three significant figures: `0 ms`, `0.42 ms`, `12.3 ms`, `840 ms`, `12.4 s`. */
export function milliseconds(ms: number): string {
  if (ms === 0) return '0 ms'
  return ms >= 999.5 ? `${threeFigures(ms / 1000)} s` : `${threeFigures(ms)} ms`
}

function threeFigures(value: number): string {
  if (value >= 99.95) return value.toFixed(0)
  return value.toFixed(value >= 9.995 ? 1 : 2)
}

/** Three significant figures: `9.5`, `120`, `0.0333`. */
export function rateText(perSecond: number): string {
  return String(Number(perSecond.toPrecision(3)))
}
