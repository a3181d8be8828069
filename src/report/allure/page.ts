import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { AllureReport } from '@allurereport/core'
import AwesomePlugin from '@allurereport/plugin-awesome'
import { BufferResultFile } from '@allurereport/reader-api'
import { projectRoot } from '../../project.ts'
import { allChecks } from '../../results/queries.ts'
import type { RunResults } from '../../results/results.ts'
import { counted, minuteOf } from '../../text/format.ts'
import { escapeMarkup } from '../../text/markup.ts'
import { Html, html, prose } from '../pages/html.ts'
import { navigation } from '../pages/page.ts'
import { allureStatuses, pageId } from './result.ts'

const script = readFileSync(new URL('./page.js', import.meta.url), 'utf8')

/** A file of allure-results, with its content in memory. */
class MemoryFile extends BufferResultFile {
  override async asBuffer(): Promise<Buffer> {
    return this.buffer as Buffer
  }
}

/**
 * Builds the page of the checks with Allure, in this process: a separate process would take twice as long.
 * @param files contents of allure-results by file name
 * @param earlier runs for the history of each check, the oldest first
 * @throws {Error} if Allure builds no page, or a page that loads something from another host
 */
export async function allurePage(
  results: RunResults,
  files: ReadonlyMap<string, Buffer>,
  earlier: readonly RunResults[],
): Promise<string> {
  const { run } = results
  const name = `Checks: Plumbline ${run.target} ${minuteOf(run.startedAt)}`
  const temporary = mkdtempSync(join(tmpdir(), 'plumbline-report-'))
  try {
    const pages = new Map<string, Buffer>()
    const report = reportOf(name, temporary, earlier, pages)
    await report.start()
    for (const [file, content] of files) await report.readResult(new MemoryFile(content, file))
    await report.done()
    const page = pages.get('awesome/index.html')
    if (!page) throw new Error('Allure built no page')
    return ownPage(withPackedData(page.toString()), results)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** @param pages receives the files of Allure */
function reportOf(
  name: string,
  output: string,
  earlier: readonly RunResults[],
  pages: Map<string, Buffer>,
): AllureReport {
  const { plugins, ...configuration } = JSON.parse(
    readFileSync(join(projectRoot, 'reports', 'allurerc.json'), 'utf8'),
  )
  const { options } = plugins.awesome
  const historyPath = join(output, 'history.jsonl')
  writeFileSync(historyPath, allureHistory(earlier))
  return new AllureReport({
    ...configuration,
    name,
    output,
    open: false,
    port: undefined,
    // With an empty history, Allure would call every check new.
    ...(earlier.length > 0 && { historyPath }),
    plugins: [{ id: 'awesome', enabled: true, options, plugin: new AwesomePlugin(options) }],
    reportFiles: {
      async addFile(path, content) {
        pages.set(path, content)
        return path
      },
    },
  })
}

/**
 * Earlier runs in the format of Allure's history, one line each. The page contains all lines, so they have
 * only the members that the page shows.
 */
export function allureHistory(runs: readonly RunResults[]): string {
  return runs.map((run) => `${JSON.stringify(historyPoint(run))}\n`).join('')
}

/** Allure appends this suffix to the id of a check without parameters: the digest of an empty text. */
const withoutParameters = createHash('md5').update('').digest('hex')

function historyPoint({ run, requirements }: RunResults) {
  const timestamp = Date.parse(run.finishedAt ?? run.startedAt)
  const results = requirements.flatMap(({ id, verdict, checks }) => {
    const unchecked = { name: '', verdict, durationMs: 0 }
    return (checks.length === 0 ? [unchecked] : checks).map((check) => ({
      id: pageId(id, check.name),
      status: allureStatuses[check.verdict],
      start: timestamp - check.durationMs,
      stop: timestamp,
      duration: check.durationMs,
      url: '',
    }))
  })
  return {
    uuid: run.id,
    name: `${run.target} ${minuteOf(run.startedAt)}`,
    timestamp,
    knownTestCaseIds: results.map(({ id }) => id),
    testResults: Object.fromEntries(results.map((result) => [`${result.id}.${withoutParameters}`, result])),
    metrics: {},
    url: '',
  }
}

/** Explains the terms and counts of Allure that differ from those of the other pages. */
function legend(results: RunResults): string {
  const checks = allChecks(results).length
  const without = results.requirements.filter((requirement) => requirement.checks.length === 0)
  const isOpen = without.some(({ verdict }) => verdict === 'inconclusive')
  const andWithout =
    without.length === 0 ? '' : ` and ${counted(without.length, 'requirement')} without a check`
  return [
    `Allure counts ${counted(checks, 'check')}${andWithout}; the other pages count ${counted(results.requirements.length, 'requirement')}.`,
    'Passed: pass or observed.',
    `Broken: inconclusive${isOpen ? ', or a requirement whose checks did not run' : ''}.`,
    'Skipped: not applicable, or a requirement without a check.',
    'The percentage is the share of passed results among those not skipped.',
    "Allure's duration is from the first check to the last, without the preparation of the run.",
    'In requests and responses, `<11 characters, #J4od3B63>` is a masked value, with its length and digest. JSON bodies show types and lengths instead of values. A list shows at most three items, each of a different shape.',
  ].join(' ')
}

/** The page may load nothing outside the file itself. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' data:; style-src 'unsafe-inline' data:; " +
  'img-src data: blob:; font-src data:; media-src data: blob:; frame-src data: blob:; connect-src data: blob:; worker-src blob:'

/** Without these variables, Allure's script, which precedes the data, may look for the data on a server. */
const waitForData = 'window.allureReportDataReady = false; window.allureReportData = {}'

/** The style of the header with links to the other pages, and of texts that explain Allure's words. */
const style =
  'body>header{font:14px/1.5 system-ui,sans-serif;margin:0 auto;max-width:920px;padding:8px 24px}' +
  'body>header ul{display:flex;flex-wrap:wrap;gap:4px 20px;margin:0;padding:0;list-style:none}' +
  'body>header a{color:inherit}body>header a[aria-current]{font-weight:bold;text-decoration:none}' +
  'body>header h1{margin:16px 0 0;font-size:25.6px;line-height:1.5;font-weight:bold}' +
  '@media(max-width:480px){body>header ul{column-gap:8px;font-size:12px}body>header h1{font-size:20.8px}}' +
  'body>header p{margin:0}' +
  '[data-testid=test-result-meta-link]{cursor:pointer}' +
  '[data-testid=tab-broken]::after,[data-testid=test-result-status-broken]::after{content:" = inconclusive"}' +
  '[data-testid=tab-skipped]::after,[data-testid=test-result-status-skipped]::after{content:" = not applicable"}'

/**
 * Allure's page without its analytics, with a policy against requests to other hosts and with links to the other pages.
 * @throws {Error} if an external script remains
 */
function ownPage(page: string, results: RunResults): string {
  const analytics =
    /<script async src="https:\/\/www\.googletagmanager\.com\/[^"]*"><\/script>\s*<script>[^<]*<\/script>/
  const header = html`<header>${navigation('checks.html')}<h1>Checks</h1><p>${prose(legend(results))}</p></header>
    <script>${new Html(script)}</script>`
  const own = page
    .replace(analytics, '')
    .replace(
      '<head>',
      `<head>\n    <meta http-equiv="Content-Security-Policy" content="${escapeMarkup(contentSecurityPolicy)}">\n    <meta name="viewport" content="width=device-width, initial-scale=1">\n    <style>${style}</style>\n    <script>${waitForData}</script>`,
    )
    .replace('<div id="app"></div>', () => `${header.markup}\n    <main id="app"></main>`)
  if (/<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="https?:/.test(own))
    throw new Error('Allure loads an external resource that Plumbline does not know')
  return own
}

const unpackScript = readFileSync(new URL('./unpack.js', import.meta.url), 'utf8')

/** The script with the files of the report. Each file is a call `d("NAME","BASE64")`. */
const dataScript = /<script defer>\s*Promise\.allSettled\(\[(?<calls>[^<]*)\]\)[^<]*<\/script>/
const call = /[,\s]*d\("(?<name>[^"\\]+)","(?<content>[A-Za-z0-9+/=]*)"\)/gy

/**
 * Allure's page with its data compressed, and with equal files stored once, because many checks share exchanges. The
 * result is a quarter as large.
 * @throws {Error} if the data has another form
 */
export function withPackedData(page: string): string {
  const script = dataScript.exec(page)
  const calls = script?.groups?.calls ?? ''
  const files: Record<string, readonly [from: number, length: number]> = {}
  const places = new Map<string, readonly [from: number, length: number]>()
  const parts: Buffer[] = []
  let size = 0
  let end = 0
  for (const { 0: text, groups: { name = '', content = '' } = {} } of calls.matchAll(call)) {
    end += text.length
    let place = places.get(content)
    if (place === undefined) {
      const bytes = Buffer.from(content, 'base64')
      place = [size, bytes.length]
      places.set(content, place)
      parts.push(bytes)
      size += bytes.length
    }
    files[name] = place
  }
  if (script === null || parts.length === 0 || calls.slice(end).trim() !== '')
    throw new Error("Allure's data has an unknown format")
  // Level 6 takes twice as long, and makes the page 5 % smaller.
  const packed = deflateRawSync(Buffer.concat(parts), { level: 3 }).toString('base64')
  const data = JSON.stringify({ files, packed })
  return [
    page.slice(0, script.index),
    `<script type="application/json" id="packed-data">${data}</script>\n    <script>${unpackScript}</script>`,
    page.slice(script.index + script[0].length),
  ].join('')
}
