import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Locator, type Page } from 'playwright'
import { startProvider } from '../provider/index.ts'
import { findChromium } from '../src/browser/find-chromium.mjs'
import { projectRoot } from '../src/project.ts'
import { policyName } from '../src/release/policy.ts'
import { runFiles } from '../src/results/run-directory.ts'
import {
  type Part,
  type Place,
  type Printed,
  printedBy,
  type Scheme,
  showTerminal,
} from './pictures/terminal.ts'

// Makes the pictures of README.md and docs/tour.md from runs against the embedded provider without and with faults.
//   npm run pictures

const faults = ['id-token-issuer-trailing-slash', 'window-of-25-hours-accepted']
/** The violated requirement that the tour explains. */
const violated = 'EVENT-WINDOW-LIMIT'
const viewport = { width: 1200, height: 900 }
const pictures = join(projectRoot, 'docs', 'pictures')

/** The working directory of the commands, in place of a clone. */
const folder = await mkdtemp(join(tmpdir(), 'plumbline-pictures-'))
const provider = await startProvider({ faults })
const executablePath = findChromium()?.path
const browser = await chromium.launch({ ...(executablePath !== undefined && { executablePath }) })
try {
  await mkdir(pictures, { recursive: true })
  await takeAll(browser, { cwd: folder, env: provider.variables })
} finally {
  await browser.close()
  await provider.close()
  await rm(folder, { recursive: true, force: true })
}

async function takeAll(browser: Browser, place: Place): Promise<void> {
  const picture = (name: string, show: Show, scheme: Scheme = 'light') => take(browser, name, scheme, show)
  const terminal = (name: string, printed: Printed, part?: Part) =>
    picture(name, (page, scheme) => showTerminal(page, printed, scheme, part))

  const green = await printedBy('check', { shown: 'npm start', place: { ...place, env: {} } })
  await terminal('tour-terminal', green)
  await picture('tour-overview', (page) => open(page, 'index.html'))

  const red = await printedBy('check --target uat', { exits: 1, place })
  await terminal('tour-violated', red, { from: 'Release: no' })
  for (const scheme of ['light', 'dark'] as const)
    await picture(`report-${scheme}`, (page) => open(page, 'index.html'), scheme)
  await picture('tour-evidence', showEvidence)
  await terminal('tour-explain', await printedBy(`explain ${violated}`, { place }), { top: 19 })
  await picture('tour-requirement', showRequirement)
  // As in a clone, the policy is in a folder of the working directory.
  await copyFile(join(projectRoot, policyName), join(place.cwd, policyName))
  const decided = await printedBy(`gate --policy ${policyName}`, {
    shown: 'npx plumbline gate',
    exits: 1,
    place,
  })
  await terminal('tour-gate', decided, { top: 26 })
  const repeated = await printedBy(`check --target uat --only ${violated}`, { exits: 1, place })
  await terminal('tour-repeat', repeated)

  await printedBy('probe --probe limiter --endpoint userinfo', { place: { ...place, env: {} } })
  const probe = join(folder, 'reports', 'latest', runFiles.probes, 'limiter-userinfo')
  // On a busy machine the probe may leave two candidates; the picture shows an identified limiter.
  const { limiter } = JSON.parse(await readFile(`${probe}.json`, 'utf8'))
  if (limiter.result !== 'identified') throw new Error('The probe identified no limiter: run this again.')
  await copyFile(`${probe}.svg`, join(pictures, 'limiter.svg'))
}

type Show = (page: Page, scheme: Scheme) => Promise<Page | Locator>

async function take(browser: Browser, name: string, scheme: Scheme, show: Show): Promise<void> {
  const page = await browser.newPage({ viewport, colorScheme: scheme, deviceScaleFactor: 1.5 })
  const path = join(pictures, `${name}.png`)
  const shown = await show(page, scheme)
  await page.evaluate(fadeOut)
  await shown.screenshot({ path })
  await page.close()
  console.log(path)
}

/** Fades out the end of the picture if the page continues below it. Runs in the page. */
function fadeOut(): void {
  if (document.documentElement.scrollHeight <= scrollY + innerHeight) return
  const { backgroundColor } = getComputedStyle(document.body)
  const fade = document.body.appendChild(document.createElement('div'))
  fade.style.cssText = `position: fixed; inset: auto 0 0; height: 64px; background: linear-gradient(transparent, ${backgroundColor})`
}

async function open(page: Page, name: string): Promise<Page> {
  const report = join(folder, 'reports', 'latest', runFiles.report)
  await page.goto(new URL(name, pathToFileURL(report)).href)
  await page.waitForLoadState('networkidle')
  return page
}

/** The requests of the violated requirement. Allure expands the request whose response violates the requirement. */
async function showEvidence(page: Page): Promise<Page> {
  await open(page, 'index.html')
  await page
    .locator('.violation', { hasText: violated })
    .getByRole('link', { name: 'Requests and responses' })
    .first()
    .click()
  const request = page.getByTestId('test-result-step-title').filter({ hasText: '→' }).last()
  await page.getByTestId('test-result-attachment-header').first().click()
  await request.evaluate((one) => one.scrollIntoView({ block: 'center' }))
  await page.waitForTimeout(500)
  return page
}

function showRequirement(page: Page): Promise<Page> {
  return open(page, `requirements.html#${violated}`)
}
