import { styleText } from 'node:util'
import { type Style, wrap } from './format.ts'

/** Returns to the start of the line and clears it. */
export const clearLine = '\r\x1b[2K'

/** Formats text for a terminal. Without a terminal, the text has no colours. */
export interface Terminal {
  /** Characters per line. */
  readonly width: number
  paint(style: Style, text: string): string
  /** A painted label before a text; `hang` spaces precede further lines. */
  labelled(label: string, text: string, hang: number, style: Style): string[]
  /**
   * A painted name, indented by 2 spaces, before a text. Further lines begin below the text or, if the name takes half
   * a line, after 6 spaces.
   */
  named(name: string, text: string, style: Style): string[]
  /** An empty line, a title and the lines; empty if there are no lines. */
  part(title: string, lines: readonly string[]): string[]
}

/** A text, and below it the command that it advises, if any. The command stays on one line, so that you can copy it. */
export function linesWithCommand(
  text: string,
  command: string | undefined,
  width: number,
  indent = '',
): string[] {
  const lines = wrap(indent + text, width, indent.length + 2)
  return command === undefined ? lines : [...lines, `${indent}  ${command}`]
}

/** Characters per line: those of the terminal, at least 40 and at most 100; 100 without a terminal. */
export function widthOf(stream: NodeJS.WriteStream): number {
  return Math.min(Math.max(stream.columns ?? 100, 40), 100)
}

/** @param stream determines width and colours, together with NO_COLOR and FORCE_COLOR */
export function terminalOf(stream: NodeJS.WriteStream): Terminal {
  const width = widthOf(stream)
  const paint = (style: Style, text: string) => styleText(style, text, { stream })
  const labelled = (label: string, text: string, hang: number, style: Style) => {
    const [first = '', ...rest] = wrap(label + text, width, hang)
    return [paint(style, first.slice(0, label.length)) + first.slice(label.length), ...rest]
  }
  return {
    width,
    paint,
    labelled,
    named: (name, text, style) => {
      const column = name.length + 4
      return labelled(`  ${name}`, `  ${text}`, column <= width / 2 ? column : 6, style)
    },
    part: (title, lines) =>
      lines.length === 0 ? [] : ['', ...wrap(title, width, 2).map((line) => paint('bold', line)), ...lines],
  }
}
