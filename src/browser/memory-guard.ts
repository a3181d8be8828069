import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from 'playwright'

/** Memory limits in MiB (docs/safety.md). */
const limits = {
  /** One process of the browser. */
  process: 600,
  /** Growth of Plumbline's own process during the journey. */
  growth: 300,
  /** All processes of the browser, plus that growth. */
  together: 900,
}
/** Interval of the measurements, in milliseconds. */
const intervalMs = 150

/**
 * Measures memory during a journey, and kills the process of the page beyond a limit: a page can fill the memory faster
 * than the browser can close the page. A journey without a page usually ends before the first measurement.
 * @param onExcess called just before the kill
 * @returns a function that ends the measurements
 */
export function guardMemory(browser: Browser | null, onExcess: (reason: string) => void): () => void {
  if (!browser) return () => {}
  const ended = new AbortController()
  let initial: number | undefined
  const measure = async () => {
    // Ask the operating system: a page can keep the connection to the browser busy.
    const sizes = processTree(await mainProcessId(browser)).map((id) => ({ id, mib: memoryMiB(id) }))
    const current = process.memoryUsage.rss()
    initial ??= current
    const growth = Math.max(0, current - initial) / 2 ** 20
    const all = sizes.reduce((sum, { mib }) => sum + mib, 0)
    const [largest] = sizes.sort((a, b) => b.mib - a.mib)
    const isExcess =
      growth > limits.growth || all + growth > limits.together || (largest?.mib ?? 0) > limits.process
    if (ended.signal.aborted || !isExcess) return
    onExcess('a page of the target made the browser use too much memory, so Plumbline closed it')
    const page = sizes.find(({ id }) => isRenderer(id))
    if (page) process.kill(page.id, 'SIGKILL')
  }
  const repeat = async () => {
    for (;;) {
      await sleep(intervalMs, undefined, { ref: false, signal: ended.signal })
      // The browser or the process may end meanwhile.
      await measure().catch(() => undefined)
    }
  }
  repeat().catch(() => undefined)
  return () => ended.abort()
}

const mainProcesses = new WeakMap<Browser, Promise<number>>()

/** The id of the main process of the browser, read once. */
function mainProcessId(browser: Browser): Promise<number> {
  const id = mainProcesses.get(browser) ?? readMainProcessId(browser)
  mainProcesses.set(browser, id)
  // The next measurement retries.
  id.catch(() => mainProcesses.delete(browser))
  return id
}

async function readMainProcessId(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.find(({ type }) => type === 'browser')?.id ?? 0
}

/** The ids of a process and its descendants. On systems other than Linux, only the process itself. */
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
