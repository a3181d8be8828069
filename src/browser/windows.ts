import type { Browser, BrowserContext, Page } from 'playwright'

/** A page with a cookie jar that no other window shares. */
export interface Window {
  readonly context: BrowserContext
  readonly page: Page
}

/** Where user agents get their windows. */
export interface Windows {
  /** A window without cookies, storage or cache, which loads nothing. */
  open(): Promise<Window>
  /**
   * @param stop ends what watches the window, for windows that are used again. Watched to its end, a page that is closed
   * sends nothing.
   */
  close(window: Window, stop: () => Promise<void>): Promise<void>
}

/** Opens each window anew, so that nothing can be left in it. */
export function newWindows(browser: Pick<Browser, 'newContext'>): Windows {
  return {
    async open() {
      const context = await browser.newContext({ serviceWorkers: 'block', acceptDownloads: false })
      return { context, page: await context.newPage() }
    },
    close: ({ context }) => context.close(),
  }
}
