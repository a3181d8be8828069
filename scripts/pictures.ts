import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Locator, type Page } from 'playwright'
import { startProvider } from '../provider/index.ts'
import { findChromium } from '../src/browser/find-chromium.mjs'
import { projectRoot } from '../src/project.ts'
import { runFiles } from '../src/results/run-directory.ts'

// Makes the pictures of README.md: the terminal and the report of a run against an embedded provider with two faults,
// light and dark. `script` of util-linux provides the terminal.
//   npm run pictures

const faults = ['id-token-issuer-trailing-slash', 'window-of-25-hours-accepted']
const columns = 104
const rows = 34
const viewport = { width: 1200, height: 800 }
const schemes = ['light', 'dark'] as const
type Scheme = (typeof schemes)[number]

/** Colours of the terminal; all texts have a contrast of 4.5 or more. */
const terminalColours = {
  light: {
    ...{ background: '#ffffff', foreground: '#1f2328', brightBlack: '#59636e' },
    ...{ red: '#b42318', green: '#1a7f37', yellow: '#7d4e00', cyan: '#0b6e8a' },
  },
  dark: {
    ...{ background: '#0d1117', foreground: '#e6edf3', brightBlack: '#9198a1' },
    ...{ red: '#ff7b72', green: '#3fb950', yellow: '#d29922', cyan: '#56d4dd' },
  },
} as const

const pictures = join(projectRoot, 'docs', 'pictures')
const terminalFiles = createRequire(import.meta.url).resolve('@xterm/xterm/package.json')
/** The working directory of the run. */
const folder = await mkdtemp(join(tmpdir(), 'plumbline-pictures-'))
try {
  await mkdir(pictures, { recursive: true })
  const printed = await runOnTerminal()
  const executablePath = findChromium()?.path
  const browser = await chromium.launch({ ...(executablePath !== undefined && { executablePath }) })
  for (const scheme of schemes) {
    await picture(browser, scheme, 'terminal', (page) => showTerminal(page, printed, scheme))
    await picture(browser, scheme, 'report', showReport)
  }
  await browser.close()
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** The terminal output of a run. */
async function runOnTerminal(): Promise<string> {
  const provider = await startProvider({ faults })
  const command = `stty cols ${columns} rows ${rows}; exec node ${join(projectRoot, 'bin', 'plumbline.mjs')} check --target uat`
  const env = { ...process.env, ...provider.variables, FORCE_COLOR: '1', CI: '' }
  try {
    return await new Promise((resolve, reject) => {
      const run = execFile(
        'script',
        ['--quiet', '--return', '--command', command, '/dev/null'],
        {
          cwd: folder,
          env,
          maxBuffer: 2 ** 24,
        },
        (error, stdout) => {
          // A run that finds violations exits with 1.
          if (error?.code === 1) resolve(stdout)
          else reject(error ?? new Error('the run found no violation, although the provider has faults'))
        },
      )
      run.stdin?.end()
    })
  } finally {
    await provider.close()
  }
}

async function picture(
  browser: Browser,
  scheme: Scheme,
  name: string,
  show: (page: Page) => Promise<Page | Locator>,
): Promise<void> {
  const page = await browser.newPage({ viewport, colorScheme: scheme, deviceScaleFactor: 2 })
  const path = join(pictures, `${name}-${scheme}.png`)
  await (await show(page)).screenshot({ path })
  await page.close()
  console.log(path)
}

async function showReport(page: Page): Promise<Page> {
  await page.goto(pathToFileURL(join(folder, 'reports', 'latest', runFiles.report)).href)
  await page.waitForLoadState('networkidle')
  return page
}

/** Shows the last screen of the output in a terminal emulator in the page. */
async function showTerminal(page: Page, printed: string, scheme: Scheme): Promise<Locator> {
  await page.setContent('<!doctype html><title>Terminal</title><main></main>')
  await page.addStyleTag({ path: join(terminalFiles, '..', 'css', 'xterm.css') })
  await page.addStyleTag({ content: 'main { display: inline-block; padding: 12px }' })
  await page.addScriptTag({ content: await readFile(join(terminalFiles, '..', 'lib', 'xterm.js'), 'utf8') })
  await page.evaluate(
    async ({ printed, columns, rows, theme }) => {
      const main = document.querySelector('main') as HTMLElement
      main.style.background = theme.background
      const { Terminal } = window as unknown as { Terminal: new (options: object) => XtermTerminal }
      const looks = { theme, fontSize: 13, drawBoldTextInBrightColors: false }
      const terminal = new Terminal({ cols: columns, rows, scrollback: 0, ...looks })
      terminal.open(main)
      await new Promise<void>((resolve) => terminal.write(printed, resolve))
    },
    { printed, columns, rows, theme: terminalColours[scheme] },
  )
  return page.locator('main')
}

/** The members of xterm.js that the page uses. */
interface XtermTerminal {
  open(parent: HTMLElement): void
  write(data: string, done: () => void): void
}
