import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright'
import { backoffMs } from '../http/retry-after.ts'
import { credentialsOf } from './credentials.ts'
import { Deadline, TrafficEnded } from './deadline.ts'
import type { JourneyWindow } from './journey-traffic.ts'
import { type EndPage, JourneyFailure, type Landing } from './landing.ts'
import { allPrompts, type Prompt } from './login-page-controls.ts'
import { aborted, emptyResponse, errorCode, unreachable } from './network-errors.ts'
import { type JourneyStep, needsRecipe, PageActions, UnrecognisedPage } from './page-actions.ts'
import { describePage, type PageDescription } from './page-description.ts'
import type { PageSnapshot } from './page-inspector.ts'
import { cancelLogin, captchaFailure, giveConsent, newPasswordFailure, signIn } from './sign-in.ts'
import { type PromptOptions, waitForPrompt } from './wait-for-prompt.ts'

export interface JourneyOptions extends PromptOptions {
  /** Called after everything that is typed or pressed. */
  readonly onStep?: (step: JourneyStep) => void
  /** Called with the page on which the user cancels. */
  readonly onCancel?: (page: 'login-page' | 'consent-page') => void
  /** Called with a page that Plumbline does not recognise, before the browser leaves it. */
  readonly onStuck?: (page: Page) => Promise<void>
}

/** Longest wait for the reason of an aborted navigation, and interval of the search for it, in milliseconds. */
const explanationMs = 2000
const pollMs = 20

/** A journey is stuck if a prompt without fields, such as consent, is shown again this many times after an answer. */
const maxAlike = 3

/** Pages to fill in, with the variables that may be wrong if one is shown again. */
const fillable = {
  user: { page: 'login page', variables: ['TEST_USER'] },
  password: { page: 'login page', variables: ['TEST_USER', 'TEST_PASSWORD'] },
  totp: { page: 'page for the one-time password', variables: ['TEST_TOTP_SECRET'] },
} as const

function isFillable(prompt: Prompt): prompt is keyof typeof fillable {
  return Object.hasOwn(fillable, prompt)
}

const missingCredentials = {
  login: 'the target requires a login',
  totp: 'the target requires a one-time password',
}

/** One authorization request in a browser, from the first navigation to its landing. */
export class Journey {
  readonly #window: JourneyWindow
  readonly #options: JourneyOptions
  readonly #deadline: Deadline
  readonly #actions: PageActions
  #interactive = false
  #cancelled = false
  /** How often each prompt without fields was shown again after an answer. */
  readonly #alike = new Map<Prompt, number>()
  /** Check boxes that were left unchecked on the last consent page. */
  #unchecked: readonly string[] = []
  #scopes: readonly string[] = []
  #requestedAgain = false
  /** Drop-down lists of the last login page without a selected option. */
  #unchosen: readonly string[] = []
  /** Prompts that were answered on any page. */
  readonly #answered = new Set<Prompt>()

  constructor(window: JourneyWindow, options: JourneyOptions) {
    this.#window = window
    this.#options = options
    this.#deadline = new Deadline(window)
    const credentials = credentialsOf(options.user, window, this.#deadline, missingCredentials)
    this.#actions = new PageActions(window, this.#deadline, credentials, options.onStep)
  }

  /** @throws {HttpFailure} if the budget does not admit a request */
  async run(url: URL): Promise<Landing> {
    try {
      return await this.#travel(url)
    } catch (error) {
      if (error instanceof JourneyFailure) return this.#blameThrottling(await this.#described(error))
      if (!(error instanceof TrafficEnded)) throw error
      if ('failure' in error.end) throw error.end.failure
      return { kind: 'redirect', ...error.end.redirect, interactive: this.#interactive }
    }
  }

  async #travel(url: URL): Promise<Landing> {
    this.#scopes = (url.searchParams.get('scope') ?? '').split(' ').filter(Boolean)
    await this.#open(url.href)
    const { traffic } = this.#window
    for (;;) {
      const { document } = traffic
      const ending = await this.#judgeResponse()
      if (ending) return ending
      const options = { ...this.#options, isCancelled: this.#cancelled }
      const snapshot = await waitForPrompt(this.#window, this.#deadline, options, this.#notExpected)
      // If the document has changed meanwhile, the snapshot is of the previous page.
      const landing = snapshot && document === traffic.document && (await this.#respond(snapshot))
      if (landing) return landing
    }
  }

  async #open(url: string): Promise<void> {
    const { page, traffic } = this.#window
    await traffic.admitNavigation(url)
    // The response ended the journey: at a page that need not be shown, or by a redirect.
    if (await this.#deadline.race(this.#window.tryWithoutPage(url))) {
      if (traffic.document) return
      throw new TrafficEnded(await traffic.end)
    }
    const opened = page.goto(url, { waitUntil: 'commit', timeout: 0 }).then(
      () => undefined,
      (error: Error) => error,
    )
    const problem = await this.#deadline.race(opened)
    if (problem) await this.#requireNavigated(problem)
  }

  /**
   * A navigation may end early by a redirect out of the target or by the next navigation.
   * @throws {JourneyFailure} if the network ended it
   */
  async #requireNavigated(problem: Error): Promise<void> {
    const { traffic } = this.#window
    if (/interrupted by another navigation/.test(problem.message)) return
    const code = errorCode(problem.message)
    if (code === emptyResponse && traffic.document) return
    // The traffic may report the reason a little later.
    for (let waitedMs = 0; code === aborted && waitedMs < explanationMs; waitedMs += pollMs) {
      if (traffic.document) return
      await this.#deadline.race(sleep(pollMs))
    }
    const { reason, ...details } = unreachable(code)
    throw new JourneyFailure('environment', reason, details)
  }

  /** Judges a response that needs no look at its page. */
  async #judgeResponse(): Promise<Landing | undefined> {
    const { document } = this.#window.traffic
    if (!document) return undefined
    const { status, mediaType, isEnd } = document
    if (status >= 500) return this.#requestAgain(status)
    const isHtml = mediaType === 'text/html' || mediaType === 'application/xhtml+xml'
    if (isHtml && !isEnd) return undefined
    return this.#endPage()
  }

  /**
   * Sends one more request for a page that failed with a 5xx status other than 503, which `JourneyDecisions` has
   * already retried.
   */
  async #requestAgain(status: number): Promise<undefined> {
    const { traffic, budget } = this.#window
    const { document } = traffic
    // After an action of the user, a page can often be requested only once.
    if (status === 503 || document?.method !== 'GET' || this.#requestedAgain || this.#interactive)
      throw new JourneyFailure('environment', `the login pages are unavailable (${status})`)
    this.#requestedAgain = true
    traffic.document = undefined
    budget.pauseFor(backoffMs(0))
    await this.#open(document.url)
  }

  /** Prompts that were answered before; after a cancelled login all prompts, since none is expected. */
  get #notExpected(): readonly Prompt[] {
    return this.#cancelled ? allPrompts : [...this.#answered]
  }

  /** Answers the prompt of a page. @returns the landing, if the journey ends at this page */
  async #respond(snapshot: PageSnapshot): Promise<Landing | undefined> {
    const { prompt, controls, answered, captcha, fields } = snapshot
    const { act } = this.#options
    if (prompt === 'none') {
      if (captcha) throw captchaFailure('the page')
      if (snapshot.newPassword) throw newPasswordFailure()
      this.#requireRecognised(fields)
      return this.#stuckPage(snapshot)
    }
    const isAnswered = answered.includes(prompt)
    const kind = prompt === 'consent' ? 'consent-page' : 'login-page'
    if (act === 'stop' || (this.#cancelled && !isAnswered))
      return { kind, ...(this.#cancelled && { afterCancel: true }) }
    // An offer, or a choice of login method without cancel, leads to the page that can be cancelled.
    const leadsOn = prompt === 'offer' || (prompt === 'loginMethod' && !controls.includes('cancel'))
    if (act === 'sign-in' || leadsOn) this.#requireProgress(prompt, isAnswered)
    else if (isAnswered) throw needsRecipe('nothing happened after cancel was pressed')
    this.#interactive = true
    if (act === 'cancel' && !leadsOn) {
      this.#cancelled = true
      this.#options.onCancel?.(kind)
      await cancelLogin(this.#actions, controls)
    } else if (await this.#answer(prompt, snapshot)) this.#answered.add(prompt)
    return undefined
  }

  /** @returns whether the prompt was answered */
  async #answer(prompt: Prompt, snapshot: PageSnapshot): Promise<boolean> {
    switch (prompt) {
      case 'consent':
        this.#unchecked = await giveConsent(this.#actions, snapshot.controls, this.#scopes, this.#unchecked)
        return true
      case 'loginMethod':
      case 'account':
      case 'offer':
        await this.#actions.markAnswered(prompt)
        await this.#actions.press(prompt === 'offer' ? 'skip' : prompt)
        return true
      default:
        this.#unchosen = (await describePage(this.#window.page, this.#options.user))?.unchosen ?? []
        return signIn(this.#actions, prompt, snapshot)
    }
  }

  /** Adds the description of an unrecognised page to the failure. */
  async #described(failure: JourneyFailure): Promise<JourneyFailure> {
    if (!(failure instanceof UnrecognisedPage)) return failure
    const description = await this.#describe()
    return description ? failure.with(description) : failure
  }

  async #describe(): Promise<PageDescription | undefined> {
    const { page } = this.#window
    const { user, onStuck } = this.#options
    await onStuck?.(page)
    return describePage(page, user)
  }

  /** The end at a page that asks for nothing that Plumbline knows. */
  async #stuckPage(snapshot: PageSnapshot): Promise<Landing | undefined> {
    const landing = this.#endPage(snapshot)
    if (!landing || !this.#options.mustReturn) return landing
    const description = await this.#describe()
    const { unchosen = this.#unchosen } = description ?? {}
    const chosen = description && unchosen.length > 0 ? { unchosen } : {}
    return { ...landing, ...(description && { description: { ...description, ...chosen } }) }
  }

  /** @param snapshot of the page, unless its response was enough */
  #endPage(snapshot?: PageSnapshot): EndPage | undefined {
    const { document } = this.#window.traffic
    if (!document) return undefined
    const { status, mediaType, redirects } = document
    const { buttons = 0, links = 0, dynamic = false } = snapshot ?? {}
    const waiting = { hasUnknownButtons: buttons > 0, hasLinks: links > 0, dynamic }
    return { kind: 'page', status, mediaType, redirects, ...waiting }
  }

  #requireRecognised(fields: number): void {
    const { document } = this.#window.traffic
    if (fields === 0 || !document || document.status >= 400) return
    throw needsRecipe(`no login form recognised on the page${this.#deadline.refusedHosts()}`)
  }

  /** A page that is shown again did not accept the values. They are never typed twice: that may lock the user out. */
  #requireProgress(prompt: Prompt, isAnswered: boolean): void {
    if (!this.#answered.has(prompt)) return
    const hosts = this.#deadline.refusedHosts()
    if (!isFillable(prompt)) {
      const times = (this.#alike.get(prompt) ?? 0) + 1
      this.#alike.set(prompt, times)
      if (!isAnswered && times < maxAlike) return
      const { recipe } = this.#window
      if (prompt === 'consent' && recipe?.consent) throw consentNotKept(recipe.consent.length, hosts)
      const page = prompt === 'consent' ? 'the consent page' : 'a page without fields'
      throw needsRecipe(`${page} was shown again${hosts}`)
    }
    const { page, variables } = fillable[prompt]
    if (isAnswered && !this.#window.traffic.hasReacted)
      throw needsRecipe(`nothing happened after the ${page} was filled in${hosts}`, 'TEST_USER')
    const reason = `the ${page} was shown again after it was filled in; Plumbline does not type the values twice${hosts}`
    throw needsRecipe(reason, ...variables)
  }

  #blameThrottling({ landing }: JourneyFailure): Landing {
    if (!this.#window.traffic.throttled || landing.cause === 'throttled') return landing
    const reason = `the target throttled the login pages, and ${landing.reason}`
    return { ...landing, cause: 'throttled', reason }
  }
}

/** @param steps number of steps of the recipe's consent */
function consentNotKept(steps: number, hosts: string): JourneyFailure {
  const done = steps === 1 ? 'step 1 of consent' : `steps 1 to ${steps} of consent`
  return new JourneyFailure(
    'configuration',
    `the consent page was shown again after ${done} in LOGIN_RECIPE${hosts}`,
    {
      variables: ['LOGIN_RECIPE'],
      advice:
        'try the page in your own browser: if it is shown again there too, the provider may not keep the consent; if not, correct the steps of consent in LOGIN_RECIPE',
    },
  )
}
