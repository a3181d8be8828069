import type { Browser } from 'playwright'
import { isRenderer, memoryMiB, processTree } from './process-memory.ts'

/** Most memory for pages, in MiB (docs/safety.md): of one process of the browser, of all, and what this process gains. */
const most = { process: 600, browser: 900, gain: 300 }
/** How often it is measured while a page is open, in milliseconds. */
const intervalMs = 150

/**
 * Measures memory while a journey takes place, and kills the page's process beyond a limit: a page can fill the memory
 * faster than it can be asked to stop. Journeys without a page are over before the first measurement.
 * @param onExcess is called just before that, for every journey in the browser
 * @returns ends the measurements
 */
export function guardMemory(browser: Browser | null, onExcess: (reason: string) => void): () => void {
  if (!browser) return () => {}
  let before: number | undefined
  let isOver = false
  let timer: NodeJS.Timeout
  const measure = async () => {
    // From the system, since a page can keep the connection to the browser busy.
    const sizes = processTree(await processOf(browser)).map((id) => ({ id, mib: memoryMiB(id) }))
    const present = process.memoryUsage.rss()
    before ??= present
    const gain = (present - before) / 2 ** 20
    const all = sizes.reduce((sum, { mib }) => sum + mib, 0)
    const [largest] = sizes.sort((left, right) => right.mib - left.mib)
    const isExcess = gain > most.gain || all > most.browser || (largest?.mib ?? 0) > most.process
    if (isOver || !isExcess) return
    onExcess('a page of the target made the browser use too much memory, so it was closed')
    const page = sizes.find(({ id }) => isRenderer(id))
    if (page) process.kill(page.id, 'SIGKILL')
  }
  const repeat = () => {
    // The browser or the process may end meanwhile.
    const again = () => {
      if (!isOver) timer = setTimeout(repeat, intervalMs).unref()
    }
    measure().then(again, again)
  }
  timer = setTimeout(repeat, intervalMs).unref()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

const processes = new WeakMap<Browser, Promise<number>>()

/** The id of the browser's main process. */
function processOf(browser: Browser): Promise<number> {
  const known = processes.get(browser)
  if (known) return known
  const asked = askForProcess(browser)
  processes.set(browser, asked)
  // The next measurement retries.
  asked.catch(() => processes.delete(browser))
  return asked
}

async function askForProcess(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.find(({ type }) => type === 'browser')?.id ?? 0
}
