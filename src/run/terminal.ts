import { styleText } from 'node:util'
import { type Style, wrap } from './text.ts'

/** What text for people at a terminal is made with; where there is no terminal, it is plain. */
export interface Terminal {
  /** Characters to a line. */
  readonly width: number
  paint(style: Style, text: string): string
  /** A painted name, indented by two, with a text beside it; further lines begin six characters in. */
  named(name: string, text: string, style: Style): string[]
}

/** @param stream decides on width and colours, as do NO_COLOR and FORCE_COLOR */
export function terminalOf(stream: NodeJS.WriteStream): Terminal {
  const width = Math.min(Math.max(stream.columns ?? 100, 60), 100)
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
