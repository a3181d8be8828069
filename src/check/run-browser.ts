import type { Page } from 'playwright'
import {
  AssetCache,
  DirectRequests,
  type JourneyStep,
  type UserAgent,
  type Windows,
} from '../browser/index.ts'
import type { Transport } from '../http/transport.ts'
import type { AuthorizationRequest } from '../oauth/authorization-request.ts'

/** The browser of a run: what its windows share, and what happened on pages of the target. */
export class RunBrowser {
  /** Milliseconds to wait before each browser step. */
  readonly slowMo: number
  /** Scripts and style sheets that pages have loaded. */
  readonly assets = new AssetCache()
  /** Requests of its windows that are sent without a page. */
  readonly directRequests: DirectRequests
  /** What was typed and pressed, in order. */
  readonly steps: JourneyStep[] = []
  /** The pages on which the user has cancelled, by their requests. */
  readonly cancelledAt = new Map<AuthorizationRequest, 'login-page' | 'consent-page'>()
  /** Is called with a page that Plumbline does not recognise. */
  onStuck: ((page: Page) => Promise<void>) | undefined
  /** A window without a session that has shown no page, for the next request that needs one. */
  reusableAgent: UserAgent | undefined
  readonly #windows: Windows | undefined

  constructor(windows: Windows | undefined, slowMo: number, transport: Transport) {
    this.directRequests = new DirectRequests(transport)
    this.#windows = windows
    this.slowMo = slowMo
  }

  /** @throws if no browser was launched: a check that needs one must declare the effect `login` */
  get windows(): Windows {
    if (this.#windows === undefined) throw new Error('a check that needs a browser declares no login effect')
    return this.#windows
  }
}
