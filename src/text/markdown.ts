import { printable } from './format.ts'

/** Text escaped for Markdown, including tables. */
export function plain(text: string): string {
  return printable(text)
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_[\]|#~]/g, '\\$&')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
}

/** Text escaped for Markdown outside of tables. Text between backticks stays code. */
export function prose(text: string): string {
  return text
    .split(/(`[^`\n]+`)/)
    .map((part, index) => (index % 2 === 1 ? part : plain(part)))
    .join('')
}

export function code(text: string): string {
  return `\`${printable(text).replace(/\s+/g, ' ').replace(/`/g, "'")}\``
}

export function withCommand(text: string, command: string | undefined): string {
  return command === undefined ? plain(text) : `${plain(text)} ${code(command)}`
}

/** A heading and its lines; empty if there are no lines. */
export function section(title: string, lines: readonly string[], level = 2): string[] {
  return lines.length === 0 ? [] : ['', `${'#'.repeat(level)} ${title}`, '', ...lines]
}

/** A table; empty if there are no rows. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [row(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(row)]
}
