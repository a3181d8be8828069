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
  /** Called for each action on a page. */
  readonly onStep?: (step: JourneyStep) => void
  /** Called with the kind of the page on which Plumbline cancels the login. */
  readonly onCancel?: (page: 'login-page' | 'consent-page') => void
  /** Called with a page that Plumbline does not recognise, before the browser leaves it. */
  readonly onStuck?: (page: Page) => Promise<void>
}

/** Longest wait for the document after Chromium reports that it aborted the navigation, in milliseconds. */
const abortedWaitMs = 2000
/** Polling interval of that wait, in milliseconds. */
const pollMs = 20

/** A journey is stuck if a prompt without fields, such as consent, reappears this many times after an answer. */
const maxReappearances = 3

/** Prompts with fields: name of the page, and variables that may be wrong if the page is shown again. */
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
  /** How often each prompt without fields reappeared after an answer. */
  readonly #reappearances = new Map<Prompt, number>()
  /** Check boxes that Plumbline left unchecked on the last consent page. */
  #unchecked: readonly string[] = []
  #scopes: readonly string[] = []
  #requestedAgain = false
  /** Labels of the lists without a selected option on the last login page. */
  #unchosen: readonly string[] = []
  /** Prompts that Plumbline has answered on any page. */
  readonly #answered = new Set<Prompt>()

  constructor(window: JourneyWindow, options: JourneyOptions) {
    this.#window = window
    this.#options = options
    this.#deadline = new Deadline(window)
    const credentials = credentialsOf(options.user, window, this.#deadline, missingCredentials)
    this.#actions = new PageActions(window, this.#deadline, credentials, options.onStep)
  }

  /**
   * Sends the request, and acts on the pages until the landing.
   * @throws {HttpFailure} if a request has no response that can be judged, or the budget does not admit a request
   */
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
      const snapshot = await waitForPrompt(this.#window, this.#deadline, options, this.#answeredBefore)
      // Ignore the snapshot if the browser has loaded another document meanwhile.
      const landing = snapshot && document === traffic.document && (await this.#respond(snapshot))
      if (landing) return landing
    }
  }

  async #open(url: string): Promise<void> {
    const { page, traffic } = this.#window
    await traffic.admitNavigation(url)
    // The response can end the journey: as an error page that the browser need not show, or as a redirect.
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
   * Returns if an error of `page.goto` is harmless: another navigation follows, or the target returned a document.
   * @throws {TrafficEnded} if the error is due to a redirect out of the target
   * @throws {JourneyFailure} for any other error
   */
  async #requireNavigated(problem: Error): Promise<void> {
    const { traffic } = this.#window
    if (/interrupted by another navigation/.test(problem.message)) return
    const code = errorCode(problem.message)
    if (code === emptyResponse && traffic.document) return
    // The document may arrive a little later than the error.
    for (let waitedMs = 0; code === aborted && waitedMs < abortedWaitMs; waitedMs += pollMs) {
      if (traffic.document) return
      await this.#deadline.race(sleep(pollMs))
    }
    const { reason, ...details } = unreachable(code)
    throw new JourneyFailure('environment', reason, details)
  }

  /** @returns the landing, if the journey ends at the response, such as JSON or an error page without controls */
  async #judgeResponse(): Promise<Landing | undefined> {
    const { document } = this.#window.traffic
    if (!document) return undefined
    const { status, mediaType, isEnd } = document
    if (status >= 500) return this.#requestAgain(status)
    const isHtml = mediaType === 'text/html' || mediaType === 'application/xhtml+xml'
    if (isHtml && !isEnd) return undefined
    return this.#endPage()
  }

  /** Requests a page once more after a 5xx status. `JourneyDecisions` has already retried a 503. */
  async #requestAgain(status: number): Promise<undefined> {
    const { traffic, budget } = this.#window
    const { document } = traffic
    // After an action of the user, the target often accepts a request only once.
    if (status === 503 || document?.method !== 'GET' || this.#requestedAgain || this.#interactive)
      throw new JourneyFailure('environment', `the login pages are unavailable (${status})`)
    this.#requestedAgain = true
    traffic.document = undefined
    budget.pauseFor(backoffMs(0))
    await this.#open(document.url)
  }

  /** Prompts that Plumbline has answered. After it has cancelled, all prompts, because it expects none of them. */
  get #answeredBefore(): readonly Prompt[] {
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
    // Neither an offer nor a choice of login methods need have a cancel button: a later page has one.
    const leadsOn = prompt === 'offer' || (prompt === 'loginMethod' && !controls.includes('cancel'))
    if (act === 'sign-in' || leadsOn) this.#requireProgress(prompt, isAnswered)
    else if (isAnswered) throw needsRecipe('the page did not react after Plumbline pressed cancel')
    this.#interactive = true
    if (act === 'cancel' && !leadsOn) {
      this.#cancelled = true
      this.#options.onCancel?.(kind)
      await cancelLogin(this.#actions, controls)
    } else if (await this.#answer(prompt, snapshot)) this.#answered.add(prompt)
    return undefined
  }

  /** @returns whether Plumbline answered the prompt; false if the browser left the page first */
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

  /** The landing on a page without a known prompt, with a description if the page should have redirected. */
  async #stuckPage(snapshot: PageSnapshot): Promise<Landing | undefined> {
    const landing = this.#endPage(snapshot)
    if (!landing || !this.#options.mustReturn) return landing
    const description = await this.#describe()
    const { unchosen = this.#unchosen } = description ?? {}
    const missingChoices = description && unchosen.length > 0 ? { unchosen } : {}
    return { ...landing, ...(description && { description: { ...description, ...missingChoices } }) }
  }

  /** @param snapshot of the page; absent if the journey ends at the response */
  #endPage(snapshot?: PageSnapshot): EndPage | undefined {
    const { document } = this.#window.traffic
    if (!document) return undefined
    const { status, mediaType, redirects } = document
    const { buttons = 0, links = 0, dynamic = false } = snapshot ?? {}
    const content = { hasUnknownButtons: buttons > 0, hasLinks: links > 0, dynamic }
    return { kind: 'page', status, mediaType, redirects, ...content }
  }

  #requireRecognised(fields: number): void {
    const { document } = this.#window.traffic
    if (fields === 0 || !document || document.status >= 400) return
    throw needsRecipe(`no login form recognised on the page${this.#deadline.refusedHosts()}`)
  }

  /**
   * Examines whether a prompt may be answered again. A prompt without fields may reappear twice, each time in a new
   * document.
   * @param isAnswered whether Plumbline has answered the prompt in this document
   * @throws {JourneyFailure} if a prompt with fields reappears: typing values twice may lock the user out
   */
  #requireProgress(prompt: Prompt, isAnswered: boolean): void {
    if (!this.#answered.has(prompt)) return
    const hosts = this.#deadline.refusedHosts()
    if (!isFillable(prompt)) {
      const times = (this.#reappearances.get(prompt) ?? 0) + 1
      this.#reappearances.set(prompt, times)
      if (!isAnswered && times < maxReappearances) return
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

/** @param steps number of steps under `consent` in the recipe */
function consentNotKept(steps: number, hosts: string): JourneyFailure {
  const done = steps === 1 ? 'step 1 of consent' : `steps 1 to ${steps} of consent`
  return new JourneyFailure(
    'configuration',
    `the consent page was shown again after ${done} in LOGIN_RECIPE${hosts}`,
    {
      variables: ['LOGIN_RECIPE'],
      advice:
        'give consent in your own browser: if the page is shown again there too, the provider may not keep the consent; otherwise, correct the steps of consent in LOGIN_RECIPE',
    },
  )
}
