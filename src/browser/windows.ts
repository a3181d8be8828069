import type { Browser, BrowserContext, Page } from 'playwright'
import { HttpFailure } from '../http/failures.ts'

/** A browser context, which has its own cookies, with its page. */
export interface BrowserWindow {
  readonly context: BrowserContext
  readonly page: Page
}

/** Opens the windows of user agents. */
export interface Windows {
  /** A window without cookies, storage or cache, which loads nothing. @throws {HttpFailure} if the browser has ended */
  open(): Promise<BrowserWindow>
  /**
   * @param stop stops observing the window, if the window is used again. A page that is observed until it is closed sends
   * nothing afterwards.
   */
  close(window: BrowserWindow, stop: () => Promise<void>): Promise<void>
}

/** Playwright's message for a lost browser, before it notices that the connection has ended. */
const browserGone = /browser (?:has been )?closed/i

/** Opens a new browser context for each window. */
export function newWindows(browser: Pick<Browser, 'newContext' | 'isConnected'>): Windows {
  return {
    async open() {
      try {
        const context = await browser.newContext({ serviceWorkers: 'block', acceptDownloads: false })
        return { context, page: await context.newPage() }
      } catch (error) {
        if (browser.isConnected() && !browserGone.test(String(error))) throw error
        // For example because the system ran out of memory.
        throw new HttpFailure('unavailable', 'the browser ended before the run did')
      }
    },
    close: ({ context }) => context.close(),
  }
}
