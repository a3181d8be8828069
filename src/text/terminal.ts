import { styleText } from 'node:util'
import { type Style, wrap } from './format.ts'

/** What text for people at a terminal is made with; where there is no terminal, it is plain. */
export interface Terminal {
  /** Characters to a line. */
  readonly width: number
  paint(style: Style, text: string): string
  /** A painted name, indented by two, with a text beside it; further lines begin six characters in. */
  named(name: string, text: string, style: Style): string[]
}

/** Characters to a line: as many as the terminal has, but no fewer than 40, and no more than can be read well. */
export function widthOf(stream: NodeJS.WriteStream): number {
  return Math.min(Math.max(stream.columns ?? 100, 40), 100)
}

/** Where a pipe is read, programs want a fact on a line; a terminal has its width. */
export function lineWidth(stream: NodeJS.WriteStream): number {
  return stream.isTTY ? widthOf(stream) : Number.POSITIVE_INFINITY
}

/** @param stream decides on width and colours, as do NO_COLOR and FORCE_COLOR */
export function terminalOf(stream: NodeJS.WriteStream): Terminal {
  const width = widthOf(stream)
  const paint = (style: Style, text: string) => styleText(style, text, { stream })
  return {
    width,
    paint,
    named(name, text, style) {
      const [first = '', ...rest] = wrap(`  ${name}  ${text}`, width, 6)
      return [`  ${paint(style, name)}${first.slice(name.length + 2)}`, ...rest]
    },
  }
}
