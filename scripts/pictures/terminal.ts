import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Locator, Page } from 'playwright'
import { projectRoot } from '../../src/project.ts'

/** Characters per line, and maximum number of lines of a picture. */
const columns = 104
const maxRows = 50

/** Colours of the terminal. All texts have a contrast of at least 4.5. */
const colours = {
  light: {
    ...{ background: '#ffffff', foreground: '#1f2328', brightBlack: '#59636e' },
    ...{ red: '#b42318', green: '#1a7f37', yellow: '#7d4e00', cyan: '#0b6e8a' },
  },
  dark: {
    ...{ background: '#0d1117', foreground: '#e6edf3', brightBlack: '#9198a1' },
    ...{ red: '#ff7b72', green: '#3fb950', yellow: '#d29922', cyan: '#56d4dd' },
  },
} as const

export type Scheme = keyof typeof colours

/** The output of a command at a terminal. */
export interface Printed {
  /** The command as the user types it. */
  readonly command: string
  readonly output: string
}

/** Where a command runs: its working directory and variables. */
export interface Place {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/**
 * Runs `plumbline` at the terminal of `script`, a part of util-linux.
 * @param shown the command as the user types it
 * @param exits the expected exit code
 * @throws {Error} if the exit code is another one
 */
export function printedBy(
  words: string,
  { shown = `npx plumbline ${words}`, exits = 0, place }: { shown?: string; exits?: number; place: Place },
): Promise<Printed> {
  const command = `stty cols ${columns} rows ${maxRows}; exec ${process.execPath} ${join(projectRoot, 'bin', 'plumbline.mjs')} ${words}`
  const env = { ...process.env, ...place.env, FORCE_COLOR: '1', CI: '' }
  return new Promise((resolve, reject) => {
    const run = execFile(
      'script',
      ['--quiet', '--return', '--command', command, '/dev/null'],
      { cwd: place.cwd, env, maxBuffer: 2 ** 24 },
      (error, output) => {
        const code = error?.code ?? 0
        if (code === exits) resolve({ command: shown, output })
        else reject(new Error(`${shown} ended with ${code} instead of ${exits}:\n${output}`))
      },
    )
    run.stdin?.end()
  })
}

const files = createRequire(import.meta.url).resolve('@xterm/xterm/package.json')

/** The lines of an output that a picture shows; by default all. */
export interface Part {
  /** Maximum number of lines. */
  readonly top?: number
  /** The beginning of the first line. The picture shows the command above this line. */
  readonly from?: string
}

/** Shows the command and its output in a terminal that runs in the page. */
export async function showTerminal(
  page: Page,
  { command, output }: Printed,
  scheme: Scheme,
  part: Part = {},
): Promise<Locator> {
  const kept = linesOf(output.trimEnd().split('\n'), `$ ${command}\r`, part)
  await page.setContent('<!doctype html><title>Terminal</title><main></main>')
  await page.addStyleTag({ path: join(files, '..', 'css', 'xterm.css') })
  await page.addStyleTag({
    content:
      'main { display: inline-block; padding: 12px } .xterm-viewport { background: transparent !important }',
  })
  await page.addScriptTag({ content: await readFile(join(files, '..', 'lib', 'xterm.js'), 'utf8') })
  await page.evaluate(
    async ({ printed, columns, rows, theme }) => {
      const main = document.querySelector('main') as HTMLElement
      main.style.background = theme.background
      const { Terminal } = window as unknown as { Terminal: new (options: object) => XtermTerminal }
      const looks = { theme, fontSize: 13, drawBoldTextInBrightColors: false }
      const terminal = new Terminal({ cols: columns, rows, scrollback: 0, ...looks })
      terminal.open(main)
      await new Promise<void>((resolve) => terminal.write(`${printed}\x1b[?25l`, resolve))
    },
    { printed: kept.join('\n'), columns, rows: kept.length, theme: colours[scheme] },
  )
  return page.locator('main')
}

/** Stands for lines that a picture does not show. */
const omitted = '\x1b[90m  …\x1b[39m\r'

function linesOf(output: readonly string[], command: string, { top = maxRows, from }: Part): string[] {
  const first = from === undefined ? 0 : firstLine(output, from)
  const lines = [command, ...(first > 0 ? [omitted] : []), ...output.slice(first)]
  return lines.length > top ? [...lines.slice(0, top), omitted] : lines
}

function firstLine(output: readonly string[], beginning: string): number {
  const first = output.findIndex((line) => stripVTControlCharacters(line).startsWith(beginning))
  if (first === -1) throw new Error(`No line of the output begins with ${beginning}`)
  return first
}

/** The parts of xterm.js that the page uses. */
interface XtermTerminal {
  open(parent: HTMLElement): void
  write(data: string, done: () => void): void
}
