import {
  type BrowserWindow,
  type LaunchedBrowser,
  newWindows,
  UserAgent,
  type Windows,
} from '../src/browser/index.ts'

/** A browser whose user agents reuse windows. */
export function recyclingWindows(launched: LaunchedBrowser): LaunchedBrowser {
  const windows = new RecycledWindows(newWindows(launched.browser))
  return { ...launched, openAgent: (options) => UserAgent.open(windows, options) }
}

/**
 * Reuses windows for several cases, because a new window costs as much as five authorizations. Each case has a provider
 * on its own port, so cases do not share the storage of an origin. All ports share cookies, so this class deletes them.
 * The last page of a case may stay open until the next case navigates.
 */
export class RecycledWindows implements Windows {
  readonly #windows: Windows
  readonly #free: BrowserWindow[] = []

  constructor(windows: Windows) {
    this.#windows = windows
  }

  async open(): Promise<BrowserWindow> {
    return this.#free.pop() ?? (await this.#windows.open())
  }

  async close(window: BrowserWindow, stop: () => Promise<void>): Promise<void> {
    const cleared = await this.#clear(window, stop).catch(() => false)
    if (cleared) this.#free.push(window)
    else await this.#windows.close(window, stop)
  }

  /** @returns whether the window can be reused */
  async #clear({ context, page }: BrowserWindow, stop: () => Promise<void>): Promise<boolean> {
    if (page.isClosed() || context.pages().length !== 1) return false
    await stop()
    await context.clearCookies()
    return true
  }
}
