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

/** Name of the page in reasons. */
const pageName = 'the page of CLAIM_RECIPE'

const missingCredentials = {
  login: 'CLAIM_RECIPE types a user name or password',
  totp: `${pageName} asks for a one-time password`,
}

const recipeVariable = { variables: ['CLAIM_RECIPE'] } as const

/** The page where the signed-in user changes a claim. */
export type ClaimPage = Pick<RecipeClaimPage, 'read' | 'write'>

/** The page that a claim-change recipe describes. */
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
   * Opens the page, enters a new value of the claim and saves it. After a failure, the value is unknown until the next
   * `read`.
   * @param newValue returns the new value for the current value; if it throws, nothing is saved
   * @returns the previous value
   * @throws {JourneyFailure | HttpFailure}
   */
  write(newValue: (current: string) => string): Promise<string> {
    return this.#visit(async (visit) => {
      const { window, deadline } = visit
      const { signal } = window
      const before = await this.#currentValue(visit)
      const value = newValue(before)
      const field = locate(window.page, this.#recipe.field)
      // Counting is faster than reading the tag name: Playwright would first load its scripts into the page.
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
      const deadline = new Deadline(window, pageName)
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
    return this.#window.journey([], visiting, pageName)
  }

  async #currentValue({ window, deadline }: Visit): Promise<string> {
    const { signal } = window
    const field = locate(window.page, this.#recipe.field)
    const at = describeLocator(this.#recipe.field)
    const visibleValue = async (timeout: number): Promise<string> => {
      await field.waitFor({ state: 'visible', timeout, signal })
      return field.inputValue({ timeout, signal })
    }
    const value = await deadline.inPage(
      deadline.patiently(visibleValue).catch((error: Error) => {
        if (!isAmbiguous(error) && !isTimeout(error)) throw error
        const within = `${deadline.responseSeconds} s: ${at}${deadline.refusedHosts()}`
        const found = isAmbiguous(error) ? `several elements: ${at}` : `nothing visible within ${within}`
        throw new JourneyFailure('configuration', `field in CLAIM_RECIPE matches ${found}`, recipeVariable)
      }),
    )
    if (value !== undefined) return value
    throw new JourneyFailure('environment', `${pageName} was left while it was read`)
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

interface Visit {
  readonly window: JourneyWindow
  readonly deadline: Deadline
}

/** @throws {JourneyFailure} if the document has an error status. A 429 does not get here: it ends the journey. */
function refuseErrors({ traffic }: JourneyWindow): void {
  const status = traffic.document?.status ?? 0
  if (status < 400) return
  const cause = status >= 500 ? 'environment' : 'configuration'
  throw new JourneyFailure(cause, `the response to ${pageName} was ${status}`)
}

/** Converts a network error, or the end of the traffic, to a failure with a reason. Returns other errors unchanged. */
function explained(error: unknown, { traffic }: JourneyWindow): unknown {
  if (error instanceof TrafficEnded) {
    return 'failure' in error.end
      ? error.end.failure
      : new JourneyFailure('configuration', `${pageName} leads out of the target`, recipeVariable)
  }
  if (!/net::ERR_\w+/.test(String(error))) return error
  const status = traffic.document?.status ?? 0
  if (status >= 400) return new JourneyFailure('environment', `the response to ${pageName} was ${status}`)
  const { reason, ...details } = unreachable(errorCode(String(error)))
  return new JourneyFailure('environment', reason, details)
}
