import type { Browser, BrowserContext, Page } from 'playwright'
import { HttpFailure } from '../http/failures.ts'

/** A browser context with its own cookies, and its page. */
export interface BrowserWindow {
  readonly context: BrowserContext
  readonly page: Page
}

export interface Windows {
  /** Opens an empty window without cookies, storage or cache. @throws {HttpFailure} if the browser has ended */
  open(): Promise<BrowserWindow>
  /** @param stop stops observing the page; an implementation calls it only if it uses the window again */
  close(window: BrowserWindow, stop: () => Promise<void>): Promise<void>
}

/** Playwright's message for a lost browser, while `isConnected` is still true. */
const browserGone = /browser (?:has been )?closed/i

/** Windows that each have a new browser context. */
export function newWindows(browser: Pick<Browser, 'newContext' | 'isConnected'>): Windows {
  return {
    async open() {
      try {
        const context = await browser.newContext({ serviceWorkers: 'block', acceptDownloads: false })
        return { context, page: await context.newPage() }
      } catch (error) {
        if (browser.isConnected() && !browserGone.test(String(error))) throw error
        // For example, the system ran out of memory.
        throw new HttpFailure('unavailable', 'the browser ended before the run did')
      }
    },
    close: ({ context }) => context.close(),
  }
}
