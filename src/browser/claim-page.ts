import type { Locator } from 'playwright'
import type { TestUser } from '../target/target.ts'
import type { ClaimRecipe } from './claim-recipe.ts'
import { credentialsOf } from './credentials.ts'
import { Deadline, TrafficEnded } from './deadline.ts'
import { JourneyFailure } from './landing.ts'
import { errorCode, unreachable } from './network-errors.ts'
import type { RecipeStep } from './recipe.ts'
import { describeLocator, isAmbiguous, isTimeout, locate, runStep } from './recipe-steps.ts'
import type { BrowserWindow } from './window.ts'

const fieldTimeoutMs = 5000

const demands = {
  login: 'CLAIM_RECIPE types a user name or password',
  totp: 'the page of CLAIM_RECIPE asks for a one-time password',
}

const inRecipe = { variables: ['CLAIM_RECIPE'] } as const

/** The page on which the signed-in user changes a claim, used as a recipe says. */
export class ClaimPage {
  readonly #window: BrowserWindow
  readonly #recipe: ClaimRecipe
  readonly #url: URL
  readonly #user: TestUser | undefined

  constructor(window: BrowserWindow, recipe: ClaimRecipe, url: URL, user: TestUser | undefined) {
    this.#window = window
    this.#recipe = recipe
    this.#url = url
    this.#user = user
  }

  /** Opens the page anew and reads the present value. @throws {JourneyFailure | HttpFailure} */
  read(): Promise<string> {
    return this.#visit((deadline) => this.#present(deadline))
  }

  /**
   * Opens the page anew, gives the claim another value and saves it. Where this fails, the value of the claim is
   * unknown until it is read again.
   * @returns the value before
   * @throws {JourneyFailure | HttpFailure}
   */
  write(value: string): Promise<string> {
    return this.#visit(async (deadline) => {
      const before = await this.#present(deadline)
      const field = this.#field
      const isList = (await deadline.inPage(field.evaluate((element) => element.tagName))) === 'SELECT'
      await deadline.inPage<unknown>(
        isList
          ? field.selectOption({ value }, { timeout: fieldTimeoutMs })
          : field.fill(value, { timeout: fieldTimeoutMs }),
      )
      await this.#follow(deadline, 'save', this.#recipe.save)
      this.#refuseErrors()
      return before
    })
  }

  async #visit<T>(work: (deadline: Deadline) => Promise<T>): Promise<T> {
    const { page, traffic } = this.#window
    const { href } = this.#url
    traffic.begin([])
    await traffic.pass(href)
    const deadline = new Deadline(this.#window, 'the page of CLAIM_RECIPE')
    try {
      await deadline.race(page.goto(href, { waitUntil: 'domcontentloaded', timeout: 0 }))
      this.#refuseErrors()
      await this.#follow(deadline, 'open', this.#recipe.open ?? [])
      return await work(deadline)
    } catch (error) {
      throw this.#explained(error)
    }
  }

  /** The value that the field shows. */
  async #present(deadline: Deadline): Promise<string> {
    const field = this.#field
    const at = describeLocator(this.#recipe.field)
    const value = await deadline.inPage(
      field
        .waitFor({ state: 'visible', timeout: fieldTimeoutMs })
        .then(() => field.inputValue({ timeout: fieldTimeoutMs }))
        .catch((error: Error) => {
          if (!isAmbiguous(error) && !isTimeout(error)) throw error
          const within = `${fieldTimeoutMs / 1000} s: ${at}${deadline.refusedHosts()}`
          const found = isAmbiguous(error) ? `several elements: ${at}` : `nothing visible within ${within}`
          throw new JourneyFailure('configuration', `field in CLAIM_RECIPE matches ${found}`, inRecipe)
        }),
    )
    if (value !== undefined) return value
    throw new JourneyFailure('environment', 'the page of CLAIM_RECIPE was left while it was read')
  }

  get #field(): Locator {
    return locate(this.#window.page, this.#recipe.field)
  }

  async #follow(deadline: Deadline, name: 'open' | 'save', steps: readonly RecipeStep[]): Promise<void> {
    const credentials = credentialsOf(this.#user, this.#window, deadline, demands)
    for (const [index, step] of steps.entries())
      await deadline.inPage(runStep(this.#window.page, name, index + 1, step, credentials, 'CLAIM_RECIPE'))
  }

  /** @throws {JourneyFailure} where the page, or what it became, is an error */
  #refuseErrors(): void {
    const status = this.#window.traffic.document?.status ?? 0
    if (status < 400) return
    const cause = status === 429 ? 'throttled' : status >= 500 ? 'environment' : 'configuration'
    throw new JourneyFailure(cause, `the page of CLAIM_RECIPE was answered ${status}`)
  }

  /** A network error or the end of the traffic, as a failure that says what happened. */
  #explained(error: unknown): unknown {
    if (error instanceof TrafficEnded) {
      return 'failure' in error.end
        ? error.end.failure
        : new JourneyFailure('configuration', 'the page of CLAIM_RECIPE leads out of the target', inRecipe)
    }
    if (!/net::ERR_\w+/.test(String(error))) return error
    const status = this.#window.traffic.document?.status ?? 0
    if (status >= 400)
      return new JourneyFailure('environment', `the page of CLAIM_RECIPE was answered ${status}`)
    const { reason, ...details } = unreachable(errorCode(String(error)))
    return new JourneyFailure('environment', reason, details)
  }
}
