import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright'
import type { Budget } from '../http/budget.ts'
import type { TestUser } from '../target/target.ts'
import { errorCode } from './browser-exchange.ts'
import type { ClaimRecipe } from './claim-recipe.ts'
import { JourneyFailure } from './landing.ts'
import { oneTimePassword } from './one-time-password.ts'
import { Arrived, Passage } from './passage.ts'
import type { RecipeStep } from './recipe.ts'
import { describeLocator, locate, runStep } from './recipe-steps.ts'
import { type Traffic, unreachable } from './traffic.ts'

const fieldTimeoutMs = 5000

export interface ClaimPageOptions {
  readonly page: Page
  readonly traffic: Traffic
  readonly budget: Budget
  readonly recipe: ClaimRecipe
  /** Address of the page. */
  readonly url: URL
  readonly user?: TestUser
  /** For one visit, in milliseconds. */
  readonly timeoutMs: number
}

/** The page on which the signed-in user changes a claim, used as a recipe says. */
export class ClaimPage {
  readonly #options: ClaimPageOptions

  constructor(options: ClaimPageOptions) {
    this.#options = options
  }

  /**
   * Opens the page anew and reads the present value.
   * @throws {JourneyFailure | HttpFailure}
   */
  read(): Promise<string> {
    return this.#visit((passage) => this.#present(passage))
  }

  /**
   * Opens the page anew, gives the claim another value and saves it. Where this fails, nobody knows which value the
   * claim has until it is read again.
   * @returns the value before
   * @throws {JourneyFailure | HttpFailure}
   */
  write(value: string): Promise<string> {
    return this.#visit(async (passage) => {
      const before = await this.#present(passage)
      const field = this.#field()
      const isList = (await passage.inPage(field.evaluate((element) => element.tagName))) === 'SELECT'
      await passage.inPage(
        isList
          ? field.selectOption({ value }, { timeout: fieldTimeoutMs }).then(() => undefined)
          : field.fill(value, { timeout: fieldTimeoutMs }),
      )
      const { traffic, recipe } = this.#options
      await this.#follow(passage, 'save', recipe.save)
      this.#refuseErrors(traffic)
      return before
    })
  }

  async #visit<T>(work: (passage: Passage) => Promise<T>): Promise<T> {
    const { page, traffic, url, timeoutMs, recipe } = this.#options
    traffic.begin([])
    await traffic.pass(url.href)
    const passage = new Passage(page, traffic, timeoutMs, 'the page of CLAIM_RECIPE')
    try {
      await passage.orArrive(page.goto(url.href, { waitUntil: 'domcontentloaded', timeout: 0 }))
      this.#refuseErrors(traffic)
      await this.#follow(passage, 'open', recipe.open ?? [])
      return await work(passage)
    } catch (error) {
      throw understood(error, traffic)
    }
  }

  /** The value that the field shows. */
  async #present(passage: Passage): Promise<string> {
    const field = this.#field()
    const at = describeLocator(this.#options.recipe.field)
    const value = await passage.inPage(
      field
        .waitFor({ state: 'visible', timeout: fieldTimeoutMs })
        .then(() => field.inputValue({ timeout: fieldTimeoutMs }))
        .catch((error: Error) => {
          throw /strict mode violation/.test(String(error))
            ? new JourneyFailure('configuration', `field in CLAIM_RECIPE matches several elements: ${at}`)
            : error.name === 'TimeoutError'
              ? new JourneyFailure(
                  'configuration',
                  `field in CLAIM_RECIPE matches nothing visible within ${fieldTimeoutMs / 1000} s: ${at}${passage.refusedHosts()}`,
                )
              : error
        }),
    )
    if (value !== undefined) return value
    throw new JourneyFailure('environment', 'the page of CLAIM_RECIPE was left while it was read')
  }

  #field() {
    return locate(this.#options.page, this.#options.recipe.field)
  }

  async #follow(passage: Passage, name: 'open' | 'save', steps: readonly RecipeStep[]): Promise<void> {
    const values = {
      username: () => this.#user.name,
      password: () => {
        this.#options.budget.login()
        return this.#user.password
      },
      totp: () => this.#oneTimePassword(passage),
    }
    for (const [index, step] of steps.entries())
      await passage.inPage(runStep(this.#options.page, name, index + 1, step, values, 'CLAIM_RECIPE'))
  }

  get #user(): TestUser {
    const { user } = this.#options
    if (user) return user
    throw new JourneyFailure(
      'configuration',
      'CLAIM_RECIPE types a user name or password: set TEST_USER and TEST_PASSWORD',
    )
  }

  async #oneTimePassword(passage: Passage): Promise<string> {
    const { totpSecret } = this.#user
    if (totpSecret === undefined) {
      throw new JourneyFailure(
        'configuration',
        'the page of CLAIM_RECIPE asks for a one-time password: set TEST_TOTP_SECRET',
      )
    }
    const { value, waitMs } = oneTimePassword(totpSecret)
    passage.extend(waitMs)
    await sleep(waitMs)
    return value
  }

  /** @throws {JourneyFailure} where the page, or what it became, is an error */
  #refuseErrors({ document }: Traffic): void {
    if (!document || document.status < 400) return
    const { status } = document
    throw new JourneyFailure(
      status === 429 ? 'throttled' : status >= 500 ? 'environment' : 'configuration',
      `the page of CLAIM_RECIPE was answered ${status}`,
    )
  }
}

/** What went wrong on a page, as a failure that says so. */
function understood(error: unknown, traffic: Traffic): unknown {
  if (error instanceof Arrived) {
    return 'failure' in error.end
      ? error.end.failure
      : new JourneyFailure('configuration', 'the page of CLAIM_RECIPE leads out of the target')
  }
  const code = /net::ERR_\w+/.test(String(error)) ? errorCode(String(error)) : undefined
  if (code === undefined) return error
  return traffic.document && traffic.document.status >= 400
    ? new JourneyFailure('environment', `the page of CLAIM_RECIPE was answered ${traffic.document.status}`)
    : new JourneyFailure('environment', unreachable(code))
}
