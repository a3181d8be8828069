import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from 'playwright'

/**
 * Memory limits in MiB (docs/safety.md): of one process of the browser, the growth of this process, and of all processes
 * of the browser with that growth.
 */
const limits = { process: 600, growth: 300, together: 900 }
/** Interval of the measurements, in milliseconds. */
const intervalMs = 150

/**
 * Measures memory during a journey, and kills the page's process beyond a limit: a page can fill the memory faster than
 * it can be closed. Journeys without a page end before the first measurement.
 * @param onExcess called just before, for every journey in the browser
 * @returns a function that ends the measurements
 */
export function guardMemory(browser: Browser | null, onExcess: (reason: string) => void): () => void {
  if (!browser) return () => {}
  const over = new AbortController()
  let before: number | undefined
  const measure = async () => {
    // Ask the system, since a page can keep the connection to the browser busy.
    const sizes = processTree(await processOf(browser)).map((id) => ({ id, mib: memoryMiB(id) }))
    const present = process.memoryUsage.rss()
    before ??= present
    const growth = Math.max(0, present - before) / 2 ** 20
    const all = sizes.reduce((sum, { mib }) => sum + mib, 0)
    const [largest] = sizes.sort((a, b) => b.mib - a.mib)
    const isExcess =
      growth > limits.growth || all + growth > limits.together || (largest?.mib ?? 0) > limits.process
    if (over.signal.aborted || !isExcess) return
    onExcess('a page of the target made the browser use too much memory, so Plumbline closed it')
    const page = sizes.find(({ id }) => isRenderer(id))
    if (page) process.kill(page.id, 'SIGKILL')
  }
  const repeat = async () => {
    for (;;) {
      await sleep(intervalMs, undefined, { ref: false, signal: over.signal })
      // The browser or the process may end meanwhile.
      await measure().catch(() => undefined)
    }
  }
  repeat().catch(() => undefined)
  return () => over.abort()
}

const processes = new WeakMap<Browser, Promise<number>>()

/** The id of the browser's main process. */
function processOf(browser: Browser): Promise<number> {
  const id = processes.get(browser) ?? mainProcessOf(browser)
  processes.set(browser, id)
  // The next measurement retries.
  id.catch(() => processes.delete(browser))
  return id
}

async function mainProcessOf(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.find(({ type }) => type === 'browser')?.id ?? 0
}

/** The ids of a process and its descendants, which only Linux reports. */
export function processTree(root: number): number[] {
  return [root, ...childrenOf(root).flatMap(processTree)]
}

function childrenOf(id: number): number[] {
  const threads = `/proc/${id}/task`
  try {
    const lists = readdirSync(threads).map((thread) => readFileSync(`${threads}/${thread}/children`, 'utf8'))
    return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
  } catch {
    return []
  }
}

/** Memory of a process without mapped files, in MiB; 0 if the system does not report it. */
export function memoryMiB(id: number): number {
  const sizes = [...textOf(`/proc/${id}/status`).matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)]
  return sizes.reduce((sum, [, size]) => sum + Number(size), 0) / 1024
}

/** Whether a process of Chromium shows pages. */
function isRenderer(id: number): boolean {
  return textOf(`/proc/${id}/cmdline`).includes('--type=renderer')
}

/** The text of a file; empty if it cannot be read, for example because its process has ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
