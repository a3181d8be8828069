import type { Window, Windows } from '../src/browser/index.ts'

/** How long a page may take to be left, in milliseconds. */
const leaveMs = 1000

/**
 * Windows that serve one case after another, because a new one costs as much as five authorizations. Each case has a
 * provider on a port of its own, so what an origin has stored is not seen by the next case; cookies, which know no
 * ports, are deleted.
 */
export class RecycledWindows implements Windows {
  readonly #windows: Windows
  readonly #free: Window[] = []

  constructor(windows: Windows) {
    this.#windows = windows
  }

  async open(): Promise<Window> {
    return this.#free.pop() ?? (await this.#windows.open())
  }

  async close(window: Window, stop: () => Promise<void>): Promise<void> {
    const cleared = await this.#clear(window, stop).catch(() => false)
    if (cleared) this.#free.push(window)
    else await this.#windows.close(window, stop)
  }

  /** @returns false for a window that has to be closed */
  async #clear({ context, page }: Window, stop: () => Promise<void>): Promise<boolean> {
    if (page.isClosed() || context.pages().length !== 1) return false
    await page.goto('about:blank', { waitUntil: 'commit', timeout: leaveMs })
    await stop()
    await context.clearCookies()
    return true
  }
}
