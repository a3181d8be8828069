import { afterAll, beforeAll } from 'vitest'
import { type html, type Received, type Site, startSite } from './site.ts'
import { type SlowSite, startSlowSite } from './slow-site.ts'
import { TestBrowser } from './test-browser.ts'

/** A browser for the tests of a file, with a slow login site and a site that each test defines. */
interface SlowBrowsing {
  browser: TestBrowser
  slow: SlowSite
  site: Site
  /** The response of `site`. */
  answer: (request: Received) => ReturnType<typeof html> | undefined
}

/** Starts browser and sites before the tests of a file, and closes them afterwards. */
export function slowBrowsing(): SlowBrowsing {
  const browsing = { answer: () => undefined } as Partial<SlowBrowsing> as SlowBrowsing
  beforeAll(async () => {
    browsing.slow = await startSlowSite()
    browsing.site = await startSite((request) => browsing.answer(request))
    browsing.browser = await TestBrowser.start([browsing.slow.host, browsing.site.host])
  })
  afterAll(async () => {
    await browsing.browser?.close()
    await Promise.all([browsing.slow?.close(), browsing.site?.close()])
  })
  return browsing
}
