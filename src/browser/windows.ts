import type { Browser, BrowserContext, Page } from 'playwright'
import { HttpFailure } from '../http/failures.ts'

/** A page with a cookie jar that no other window shares. */
export interface Window {
  readonly context: BrowserContext
  readonly page: Page
}

/** Where user agents get their windows. */
export interface Windows {
  /** A window without cookies, storage or cache, which loads nothing. @throws {HttpFailure} if the browser has ended */
  open(): Promise<Window>
  /**
   * @param stop ends what watches the window, for windows that are used again. Watched to its end, a page that is closed
   * sends nothing.
   */
  close(window: Window, stop: () => Promise<void>): Promise<void>
}

/** How Playwright reports it before it notices that the connection has ended. */
const browserGone = /browser (?:has been )?closed/i

/** Opens each window anew, so that nothing can be left in it. */
export function newWindows(browser: Pick<Browser, 'newContext' | 'isConnected'>): Windows {
  return {
    async open() {
      try {
        const context = await browser.newContext({ serviceWorkers: 'block', acceptDownloads: false })
        return { context, page: await context.newPage() }
      } catch (error) {
        if (browser.isConnected() && !browserGone.test(String(error))) throw error
        // For example because the system had no memory left for it.
        throw new HttpFailure('unavailable', 'the browser ended before the run did')
      }
    },
    close: ({ context }) => context.close(),
  }
}
