import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { verdicts } from '../../results/queries.ts'
import type { RunResults } from '../../results/results.ts'
import { runFiles, writeAtomically } from '../../results/run-directory.ts'
import { minuteOf } from '../../text/format.ts'
import { escapeMarkup } from '../../text/markup.ts'
import type { History } from '../history.ts'
import { Html, html } from '../pages/html.ts'
import { navigation } from '../pages/page.ts'
import { allureHistory } from './history.ts'

const run = promisify(execFile)
const configuration = fileURLToPath(new URL('../../../reports/allurerc.json', import.meta.url))
const commandLine = join(dirname(createRequire(import.meta.url).resolve('allure')), '..', 'cli.js')
const script = readFileSync(new URL('./page.js', import.meta.url), 'utf8')
/** Longest time a report may take, in milliseconds. */
const timeLimit = 120_000

/**
 * Has Allure make report/index.html of the allure-results of a run.
 * @returns its path
 * @throws {Error} where Allure fails
 */
export async function allurePage(
  runDirectory: string,
  results: RunResults,
  history: History,
): Promise<string> {
  const report = join(runDirectory, runFiles.report)
  const { run: facts, totals } = results
  // Allure counts checks and calls what holds a success rate: the title says what a release asks for.
  const counts = verdicts
    .filter((verdict) => totals[verdict] > 0)
    .map((verdict) => `${totals[verdict]} ${verdict}`)
  const name = `Plumbline ${facts.target} ${minuteOf(facts.startedAt)}: ${counts.join(', ')}`
  const temporary = mkdtempSync(join(tmpdir(), 'plumbline-report-'))
  try {
    await run(
      process.execPath,
      [
        commandLine,
        'generate',
        ...[
          '--config',
          configurationFor(
            temporary,
            history.runs.filter((past) => past !== results),
          ),
        ],
        ...['--report-name', name],
        ...['--output', dirname(report)],
        join(runDirectory, runFiles.allureResults),
      ],
      { timeout: timeLimit },
    )
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
  writeAtomically(report, ownPage(readFileSync(report, 'utf8'), name))
  return report
}

/** The configuration, with the history in a file that lasts as long as Allure reads it. */
function configurationFor(directory: string, earlier: readonly RunResults[]): string {
  // Without any, everything would be called new.
  if (earlier.length === 0) return configuration
  const historyPath = join(directory, 'history.jsonl')
  writeFileSync(historyPath, allureHistory(earlier))
  const file = join(directory, 'allurerc.json')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(configuration, 'utf8')), historyPath }))
  return file
}

/** Nothing but what is within the file itself may be loaded by the report. */
const policy =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' data:; style-src 'unsafe-inline' data:; " +
  'img-src data: blob:; font-src data:; media-src data: blob:; frame-src data: blob:; connect-src data: blob:; worker-src blob:'

/**
 * The page without the analytics that Allure writes into each, with a policy that keeps the browser from asking
 * anybody anything, and with the way to the other pages.
 * @throws {Error} when an outside script is left
 */
function ownPage(page: string, title: string): string {
  const analytics =
    /<script async src="https:\/\/www\.googletagmanager\.com\/[^"]*"><\/script>\s*<script>[^<]*<\/script>/
  const own = page
    .replace(analytics, '')
    .replace(
      '<head>',
      `<head>\n    <meta http-equiv="Content-Security-Policy" content="${escapeMarkup(policy)}">\n    <meta name="viewport" content="width=device-width, initial-scale=1">\n    <style>${style}</style>`,
    )
    .replace('<div id="app"></div>', () => `${header(title).markup}\n    <main id="app"></main>`)
  if (/<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="https?:/.test(own)) {
    throw new Error('Allure loads something from outside in a way that is not known here')
  }
  return own
}

function header(title: string): Html {
  return html`<header>${navigation('index.html')}<h1>${title}</h1></header>
    <script>${new Html(script)}</script>`
}

/** The way to the other pages, in the colours that Allure has at the time. */
const style =
  'body>header{font:14px/1.5 system-ui,sans-serif;margin:0 auto;max-width:920px;padding:8px 24px}' +
  'body>header ul{display:flex;flex-wrap:wrap;gap:4px 20px;margin:0;padding:0;list-style:none}' +
  'body>header a{color:inherit}body>header a[aria-current]{font-weight:bold;text-decoration:none}' +
  'body>header h1{margin:4px 0 0;font-size:16px}' +
  '[data-testid=test-result-meta-link]{cursor:pointer}'
