import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright'
import { address } from '../evidence/allow-list.ts'
import type { Budget } from '../http/budget.ts'
import { backoffMs } from '../http/retry-after.ts'
import type { TestUser } from '../target/target.ts'
import { errorCode } from './browser-exchange.ts'
import { JourneyFailure, type Landing } from './landing.ts'
import { type Act, Lookout } from './lookout.ts'
import { oneTimePassword } from './one-time-password.ts'
import { Arrived, Passage } from './passage.ts'
import type { LoginRecipe, RecipeStep, SequenceName } from './recipe.ts'
import { describeLocator, runStep } from './recipe-steps.ts'
import { fillIn, noteAnswered, type Part, press, type Sight, type Stage } from './survey.ts'
import { emptyAnswer, type Traffic, unreachable } from './traffic.ts'

export interface JourneyOptions {
  readonly page: Page
  readonly traffic: Traffic
  readonly budget: Budget
  readonly act: Act
  readonly user?: TestUser
  readonly recipe?: LoginRecipe
  readonly timeoutMs: number
  /** Waits to the end of its time for a page to go on that asks for nothing. */
  readonly patient: boolean
  /** Hears of everything that is typed and pressed. */
  readonly onStep?: (step: JourneyStep) => void
}

/** Something that was done on a page. Holds no value that was typed. */
export interface JourneyStep {
  readonly did: RecipeStep['do']
  /** Typed: user, username, password, totp. Pressed: submit, accept, cancel, Enter. Null for other steps of a recipe. */
  readonly what: string | null
  /** Name or id of the field, or what the recipe finds it by; null where it has none. */
  readonly where: string | null
  /** Address of the page, without values. */
  readonly page: string
}

/** Consent pages in one journey; more are the same page over again. */
const mostConsents = 3

const recipeHint = 'write a login recipe for it (LOGIN_RECIPE, see docs/login-recipes.md)'

/** One authorization request in a browser, from the first navigation to its landing. */
export class Journey {
  readonly #options: JourneyOptions
  readonly #page: Page
  readonly #passage: Passage
  readonly #lookout: Lookout
  #interactive = false
  #cancelled = false
  #consents = 0
  #repeated = false
  /** Stages that were answered, on whatever page. */
  readonly #sent = new Set<Stage>()

  constructor(options: JourneyOptions) {
    this.#options = options
    this.#page = options.page
    this.#passage = new Passage(options.page, options.traffic, options.timeoutMs)
    this.#lookout = new Lookout({ ...options, passage: this.#passage })
  }

  /** @throws {HttpFailure} where the budget lets nothing through */
  async run(url: URL): Promise<Landing> {
    try {
      return await this.#travel(url)
    } catch (error) {
      if (error instanceof JourneyFailure) return this.#blameThrottling(error)
      if (!(error instanceof Arrived)) throw error
      if ('failure' in error.end) throw error.end.failure
      return { kind: 'redirect', ...error.end.redirect, interactive: this.#interactive }
    }
  }

  async #travel(url: URL): Promise<Landing> {
    await this.#open(url.href)
    for (;;) {
      const { document } = this.#options.traffic
      const ending = await this.#judgeAnswer()
      if (ending) return ending
      const seen = await this.#lookout.look()
      // What was seen belongs to the page before when another one has been answered meanwhile.
      const landing = seen && document === this.#options.traffic.document && (await this.#respond(seen))
      if (landing) return landing
    }
  }

  // Moving

  async #open(url: string): Promise<void> {
    const waitedFrom = Date.now()
    await this.#options.traffic.pass(url)
    this.#passage.extend(Date.now() - waitedFrom)
    const opened = this.#page.goto(url, { waitUntil: 'commit', timeout: 0 })
    const problem = await this.#passage.orArrive(
      opened.then(
        () => undefined,
        (error: Error) => error,
      ),
    )
    if (problem) await this.#explain(problem)
  }

  /** A navigation that was given up: by a redirect out of the target, by the next one, or by the network. */
  async #explain(problem: Error): Promise<void> {
    const { traffic } = this.#options
    if (/interrupted by another navigation/.test(problem.message)) return
    const code = errorCode(problem.message)
    if (code === emptyAnswer && traffic.document) return
    if (code === 'net::ERR_ABORTED') {
      // What ended the navigation, if the traffic knows it, is told before or just after.
      await this.#passage.orArrive(sleep(100))
      if (traffic.document) return
    }
    throw new JourneyFailure('environment', unreachable(code))
  }

  /** Endings that an answer decides without a look at the page. */
  async #judgeAnswer(): Promise<Landing | undefined> {
    const { document } = this.#options.traffic
    if (!document) return undefined
    const { status, mediaType, redirected } = document
    if (status === 429 || status >= 500) return this.#again(status)
    const html = mediaType === 'text/html' || mediaType === 'application/xhtml+xml'
    return html ? undefined : { kind: 'page', status, mediaType, redirected, asks: false }
  }

  /** Asks once more for a page that was throttled or unavailable, when the budget lets it through. */
  async #again(status: number): Promise<undefined> {
    const { document } = this.#options.traffic
    // What follows an answer of the user can often be asked for once only; 429 and 503 say that it was not done.
    const done = this.#interactive && status !== 429 && status !== 503
    if (document?.method !== 'GET' || this.#repeated || done) {
      throw new JourneyFailure(
        status === 429 ? 'throttled' : 'environment',
        status === 429
          ? 'the target throttled the login pages (429)'
          : `the login pages are unavailable (${status})`,
      )
    }
    this.#repeated = true
    this.#options.traffic.document = undefined
    if (status !== 429 && status !== 503) this.#options.budget.pauseFor(backoffMs(0))
    await this.#open(document.url)
  }

  // Responding

  /** Does what there is to do on a page. @returns a landing where that is nothing */
  async #respond(sight: Sight): Promise<Landing | undefined> {
    const { act } = this.#options
    const { stage } = sight
    if (stage === 'none') return this.#atEnd(sight)
    if (act === 'stop' || (act === 'cancel' && this.#cancelled && !sight.answered.includes(stage))) {
      return { kind: stage === 'consent' ? 'consent-page' : 'login-page' }
    }
    if (act === 'cancel') return this.#cancel(sight)
    this.#refuseRepetition(sight)
    this.#sent.add(stage)
    this.#interactive = true
    if (stage === 'consent') return this.#consent(sight)
    return this.#signIn(stage, sight)
  }

  async #atEnd({ fields, buttons }: Sight): Promise<Landing | undefined> {
    const document = this.#options.traffic.document
    if (!document) return undefined
    const { status, mediaType, redirected } = document
    if (fields > 0 && status < 400) {
      throw new JourneyFailure(
        'configuration',
        `the login page was not understood: ${recipeHint}${this.#passage.refusedHosts()}`,
      )
    }
    return { kind: 'page', status, mediaType, redirected, asks: buttons > 0 }
  }

  /** A page that comes again did not take what it was given. It is never given twice: that may lock the user out. */
  #refuseRepetition({ stage, answered }: Sight): void {
    if (stage === 'none' || !this.#sent.has(stage)) return
    if (stage === 'consent' && !answered.includes(stage)) {
      this.#consents += 1
      if (this.#consents < mostConsents) return
    }
    const again = 'came again after it was filled in, and was not tried again'
    const reasons = {
      user: `the login page ${again}: correct TEST_USER, or ${recipeHint}`,
      password: `the login page ${again}: correct TEST_USER or TEST_PASSWORD, or ${recipeHint}`,
      totp: `the page for the one-time password ${again}: correct TEST_TOTP_SECRET, or ${recipeHint}`,
      consent: `the consent page came again: ${recipeHint}`,
    }
    throw new JourneyFailure('configuration', reasons[stage] + this.#passage.refusedHosts())
  }

  async #signIn(stage: 'user' | 'password' | 'totp', { parts }: Sight): Promise<undefined> {
    const { recipe } = this.#options
    if (recipe?.signIn && stage !== 'totp') return this.#follow('signIn', recipe.signIn, ['user', 'password'])
    await this.#note([stage])
    if (stage === 'password') this.#options.budget.login()
    if (stage !== 'totp' && parts.includes('user')) await this.#fill('user', this.#user.name)
    if (stage === 'password') await this.#fill('password', this.#user.password)
    const asksCode = stage === 'totp' || (parts.includes('totp') && this.#user.totpSecret !== undefined)
    if (asksCode) await this.#fill('totp', await this.#oneTimePassword())
    if (parts.includes('submit')) await this.#press('submit')
    else if (parts.includes('cancel')) {
      // The return key presses the first button of a form, which may be this one.
      throw new JourneyFailure(
        'configuration',
        `the login page has no button to sign in with that is known: ${recipeHint}`,
      )
    } else {
      this.#tell('press', 'Enter', null)
      await this.#passage.inPage(this.#page.keyboard.press('Enter'))
    }
  }

  async #consent({ parts }: Sight): Promise<undefined> {
    const { recipe } = this.#options
    if (recipe?.consent) return this.#follow('consent', recipe.consent, ['consent'])
    await this.#note(['consent'])
    if (parts.includes('accept')) await this.#press('accept')
  }

  async #cancel({ parts, stage, answered }: Sight): Promise<undefined> {
    const { recipe } = this.#options
    if (stage !== 'none' && answered.includes(stage)) {
      throw new JourneyFailure('configuration', `nothing happened after cancel was pressed: ${recipeHint}`)
    }
    this.#cancelled = true
    this.#interactive = true
    const stages = ['user', 'password', 'totp', 'consent'] as const
    if (recipe?.cancel) return this.#follow('cancel', recipe.cancel, stages)
    if (!parts.includes('cancel')) {
      throw new JourneyFailure(
        'configuration',
        `the page has no control to cancel with that is known: ${recipeHint}`,
      )
    }
    await this.#note(stages)
    await this.#press('cancel')
  }

  async #follow(
    name: SequenceName,
    steps: readonly RecipeStep[],
    stages: readonly Stage[],
  ): Promise<undefined> {
    const values = {
      username: () => this.#user.name,
      password: () => {
        this.#options.budget.login()
        return this.#user.password
      },
      totp: () => this.#oneTimePassword(),
    }
    for (const [index, step] of steps.entries()) {
      await this.#note(stages)
      const what = step.do === 'fill' ? step.value : step.do === 'totp' ? 'totp' : null
      this.#tell(step.do, what, describeLocator(step.at))
      await this.#passage.inPage(runStep(this.#page, name, index + 1, step, values))
    }
  }

  // What the user has

  get #user(): TestUser {
    const { user } = this.#options
    if (user) return user
    throw new JourneyFailure('configuration', 'the target asks for a login: set TEST_USER and TEST_PASSWORD')
  }

  async #oneTimePassword(): Promise<string> {
    const { totpSecret } = this.#user
    if (totpSecret === undefined) {
      throw new JourneyFailure(
        'configuration',
        'the target asks for a one-time password: set TEST_TOTP_SECRET',
      )
    }
    const { value, waitMs } = oneTimePassword(totpSecret)
    this.#passage.extend(waitMs)
    await this.#passage.orArrive(sleep(waitMs))
    return value
  }

  // On the page

  async #note(stages: readonly Stage[]): Promise<void> {
    await this.#passage.inPage(this.#page.evaluate(noteAnswered, stages))
  }

  async #fill(part: Part, value: string): Promise<void> {
    const page = this.#page.url()
    const where = await this.#passage.inPage(this.#page.evaluate(fillIn, { part, value }))
    this.#tell('fill', part, where || null, page)
  }

  async #press(part: Part): Promise<void> {
    this.#tell('click', part, null)
    await this.#passage.inPage(this.#page.evaluate(press, part))
  }

  #tell(did: JourneyStep['did'], what: string | null, where: string | null, page = this.#page.url()): void {
    this.#options.onStep?.({ did, what, where, page: pathOf(page) })
  }

  #blameThrottling({ landing }: JourneyFailure): Landing {
    if (!this.#options.traffic.throttled || landing.cause === 'throttled') return landing
    return {
      ...landing,
      cause: 'throttled',
      reason: `the target throttled the login pages (429), and ${landing.reason}`,
    }
  }
}

/** A page as it may be shown: what its query holds belongs to one login. */
function pathOf(url: string): string {
  return address(url.split(/[?#]/, 1)[0] ?? '')
}
