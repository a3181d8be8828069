import type { TestUser } from '../target/target.ts'
import type { AgentWindow } from './agent-window.ts'
import type { ClaimRecipe } from './claim-recipe.ts'
import { credentialsOf } from './credentials.ts'
import { Deadline, isTimeout, TrafficEnded } from './deadline.ts'
import type { JourneyWindow } from './journey-traffic.ts'
import { JourneyFailure } from './landing.ts'
import { errorCode, unreachable } from './network-errors.ts'
import type { RecipeStep } from './recipe.ts'
import { describeLocator, isAmbiguous, locate, runStep } from './recipe-steps.ts'

/** What the page is called in reasons. */
const thePage = 'the page of CLAIM_RECIPE'

const missingCredentials = {
  login: 'CLAIM_RECIPE types a user name or password',
  totp: `${thePage} asks for a one-time password`,
}

const inRecipe = { variables: ['CLAIM_RECIPE'] } as const

/** The page on which the signed-in user changes a claim. */
export type ClaimPage = Pick<RecipeClaimPage, 'read' | 'write'>

/** The page of a recipe in a browser. */
export class RecipeClaimPage {
  readonly #window: AgentWindow
  readonly #recipe: ClaimRecipe
  readonly #url: URL
  readonly #user: TestUser | undefined

  constructor(window: AgentWindow, recipe: ClaimRecipe, url: URL, user: TestUser | undefined) {
    this.#window = window
    this.#recipe = recipe
    this.#url = url
    this.#user = user
  }

  /** Opens the page and reads the current value. @throws {JourneyFailure | HttpFailure} */
  read(): Promise<string> {
    return this.#visit((visit) => this.#currentValue(visit))
  }

  /**
   * Opens the page, enters another value of the claim and saves it. If this fails, the value is unknown until it is read
   * again.
   * @param valueAfter chooses the new value from the present one; nothing is saved if it throws
   * @returns the previous value
   * @throws {JourneyFailure | HttpFailure}
   */
  write(valueAfter: (present: string) => string): Promise<string> {
    return this.#visit(async (visit) => {
      const { window, deadline } = visit
      const { signal } = window
      const before = await this.#currentValue(visit)
      const value = valueAfter(before)
      const field = locate(window.page, this.#recipe.field)
      // Reading its tag name would load Playwright's scripts into the page, which takes longer than the change.
      const isList = ((await deadline.inPage(field.locator('xpath=self::select').count())) ?? 0) > 0
      const change = (timeout: number): Promise<unknown> =>
        isList ? field.selectOption({ value }, { timeout, signal }) : field.fill(value, { timeout, signal })
      await deadline.inPage(deadline.patiently(change))
      await this.#follow(visit, 'save', this.#recipe.save)
      refuseErrors(window)
      return before
    })
  }

  #visit<T>(work: (visit: Visit) => Promise<T>): Promise<T> {
    const { href } = this.#url
    const visiting = async (window: JourneyWindow): Promise<T> => {
      const { page, traffic } = window
      await traffic.admitNavigation(href)
      const deadline = new Deadline(window, thePage)
      const visit = { window, deadline }
      try {
        await deadline.race(page.goto(href, { waitUntil: 'domcontentloaded', timeout: 0 }))
        refuseErrors(window)
        await this.#follow(visit, 'open', this.#recipe.open ?? [])
        return await work(visit)
      } catch (error) {
        throw explained(error, window)
      }
    }
    return this.#window.journey([], visiting, thePage)
  }

  /** The value in the field. */
  async #currentValue({ window, deadline }: Visit): Promise<string> {
    const { signal } = window
    const field = locate(window.page, this.#recipe.field)
    const at = describeLocator(this.#recipe.field)
    const shown = async (timeout: number): Promise<string> => {
      await field.waitFor({ state: 'visible', timeout, signal })
      return field.inputValue({ timeout, signal })
    }
    const value = await deadline.inPage(
      deadline.patiently(shown).catch((error: Error) => {
        if (!isAmbiguous(error) && !isTimeout(error)) throw error
        const within = `${deadline.responseSeconds} s: ${at}${deadline.refusedHosts()}`
        const found = isAmbiguous(error) ? `several elements: ${at}` : `nothing visible within ${within}`
        throw new JourneyFailure('configuration', `field in CLAIM_RECIPE matches ${found}`, inRecipe)
      }),
    )
    if (value !== undefined) return value
    throw new JourneyFailure('environment', `${thePage} was left while it was read`)
  }

  async #follow(
    { window, deadline }: Visit,
    sequence: 'open' | 'save',
    steps: readonly RecipeStep[],
  ): Promise<void> {
    const credentials = credentialsOf(this.#user, window, deadline, missingCredentials)
    for (const [index, step] of steps.entries()) {
      const placed = { variable: 'CLAIM_RECIPE', sequence, number: index + 1, step } as const
      await deadline.inPage(runStep(window, deadline, credentials, placed))
      window.traffic.noteAct()
    }
  }
}

/** One visit to the page. */
interface Visit {
  readonly window: JourneyWindow
  readonly deadline: Deadline
}

/** @throws {JourneyFailure} if the current document has an error status; after 429 the journey has ended already */
function refuseErrors({ traffic }: JourneyWindow): void {
  const status = traffic.document?.status ?? 0
  if (status < 400) return
  const cause = status >= 500 ? 'environment' : 'configuration'
  throw new JourneyFailure(cause, `the response to ${thePage} was ${status}`)
}

/** Converts a network error or the end of the traffic to a failure with its reason. */
function explained(error: unknown, { traffic }: JourneyWindow): unknown {
  if (error instanceof TrafficEnded) {
    return 'failure' in error.end
      ? error.end.failure
      : new JourneyFailure('configuration', `${thePage} leads out of the target`, inRecipe)
  }
  if (!/net::ERR_\w+/.test(String(error))) return error
  const status = traffic.document?.status ?? 0
  if (status >= 400) return new JourneyFailure('environment', `the response to ${thePage} was ${status}`)
  const { reason, ...details } = unreachable(errorCode(String(error)))
  return new JourneyFailure('environment', reason, details)
}
