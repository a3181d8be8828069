import { shownAddress } from '../evidence/allow-list.ts'
import type { VariableName } from '../target/variables.ts'
import type { Credentials } from './credentials.ts'
import type { Deadline } from './deadline.ts'
import type { JourneyWindow } from './journey-traffic.ts'
import { JourneyFailure } from './landing.ts'
import type { Control, Prompt } from './login-page-controls.ts'
import type { PageDescription } from './page-description.ts'
import { inspect, pressEnter, type TickOptions } from './page-inspector.ts'
import type { RecipeStep, SequenceName } from './recipe.ts'
import { choiceAdvice, suggestionOf, unchosenText } from './recipe-advice.ts'
import { describeLocator, runStep } from './recipe-steps.ts'

/**
 * A failure that a login recipe may prevent.
 * @param variables variables that may be wrong instead, the likeliest first
 */
export function needsRecipe(reason: string, ...variables: readonly VariableName[]): JourneyFailure {
  const correct = variables.length === 0 ? '' : `correct ${variables.join(' or ')}, or `
  return new UnrecognisedPage('configuration', reason, {
    variables: [...variables, 'LOGIN_RECIPE'],
    advice: `${correct}write a login recipe for the page (LOGIN_RECIPE, see docs/login-recipes.md)`,
  })
}

/** The failure on a page without a known control to cancel with. */
export function needsCancelSteps(): JourneyFailure {
  return new UncancellablePage(
    'configuration',
    'no button or link to cancel with was recognised on the page',
    {
      variables: ['LOGIN_RECIPE'],
      advice:
        'write the steps under cancel in a login recipe (LOGIN_RECIPE, see docs/login-recipes.md); if users cannot cancel there, waive the requirements (see docs/gating.md)',
    },
  )
}

/** The journey ended at a page that Plumbline does not recognise. */
export class UnrecognisedPage extends JourneyFailure {
  /** Adds the description of the page, and advice that fits it. A page that refuses a typed value needs no recipe. */
  with({ shown, refusesValue, unchosen = [], steps }: PageDescription): JourneyFailure {
    const { cause, reason, variables = [], advice = '' } = this.landing
    const described = `${reason}${shown && `; the page shows ${shown}`}`
    const typed = variables.filter((name) => name !== 'LOGIN_RECIPE')
    if (refusesValue && typed.length > 0)
      return new JourneyFailure(cause, described, {
        variables: typed,
        advice: `change ${typed.join(' or ')}`,
      })
    if (unchosen.length > 0 && typed.length > 0)
      return new JourneyFailure(cause, described + unchosenText(unchosen), {
        variables: ['LOGIN_RECIPE', ...typed],
        advice: `${choiceAdvice(unchosen)}; if that does not help, change ${typed.join(' or ')}`,
      })
    return new JourneyFailure(cause, described, {
      variables,
      advice: advice + (variables[0] === 'LOGIN_RECIPE' ? suggestionOf(steps) : ''),
    })
  }
}

/** The page has no known control to cancel with. The advice suggests no steps, because the described steps sign in. */
class UncancellablePage extends UnrecognisedPage {
  override with(description: PageDescription): JourneyFailure {
    return super.with({ ...description, steps: [] })
  }
}

/** What a step fills or presses. Recipes call the user name `username`. */
export type StepInput = Control | 'username' | 'box' | 'option' | 'Enter'

/** An action on a page, without typed values. */
export interface JourneyStep {
  readonly did: RecipeStep['do']
  /** Null for the steps of a recipe that type neither credentials nor a one-time password. */
  readonly what: StepInput | null
  /** Name or id of the element, or its locator in the recipe; null if there is neither. */
  readonly where: string | null
  /** Address of the page, without query. */
  readonly page: string
  /** Whether the address contains digests instead of values. */
  readonly pageHasDigests: boolean
}

/** Acts on a page in place of the user. */
export class PageActions {
  readonly credentials: Credentials
  readonly #window: JourneyWindow
  readonly #deadline: Deadline
  readonly #onStep: ((step: JourneyStep) => void) | undefined

  constructor(
    window: JourneyWindow,
    deadline: Deadline,
    credentials: Credentials,
    onStep: ((step: JourneyStep) => void) | undefined,
  ) {
    this.#window = window
    this.#deadline = deadline
    this.credentials = credentials
    this.#onStep = onStep
  }

  /**
   * Performs a sequence of the login recipe.
   * @param prompts prompts that the sequence answers, on each page
   * @returns whether the recipe has that sequence
   */
  async follow(sequence: SequenceName, ...prompts: readonly Prompt[]): Promise<boolean> {
    const { recipe } = this.#window
    const steps = recipe?.[sequence]
    for (const [index, step] of (steps ?? []).entries()) {
      await this.markAnswered(...prompts)
      const what = step.do === 'fill' ? step.value : step.do === 'totp' ? 'totp' : null
      this.#report(step.do, what, describeLocator(step.at))
      const placed = { variable: 'LOGIN_RECIPE', sequence, number: index + 1, step } as const
      await this.#deadline.inPage(runStep(this.#window, this.#deadline, this.credentials, placed))
      this.#window.traffic.noteAct()
    }
    return steps !== undefined
  }

  async markAnswered(...prompts: readonly Prompt[]): Promise<void> {
    await this.#deadline.inPage(inspect(this.#window.page, 'markAnswered', prompts))
  }

  /** @returns false if the browser left the page before the value was typed */
  async fill(control: Control, value: string): Promise<boolean> {
    const url = this.#window.page.url()
    const where = await this.#deadline.inPage(inspect(this.#window.page, 'fill', control, value))
    if (where === null) return false
    this.#report('fill', control, where || null, url)
    return true
  }

  /** Ticks the check boxes that the page requires to continue. @returns the names of the boxes left unchecked */
  async tick(button: 'accept' | 'submit', options: TickOptions): Promise<readonly string[]> {
    const boxes = await this.#deadline.inPage(inspect(this.#window.page, 'tick', button, options))
    for (const box of boxes?.ticked ?? []) this.#report('click', 'box', box)
    return boxes?.unchecked ?? []
  }

  async press(control: Control): Promise<void> {
    const option = await this.#deadline.inPage(inspect(this.#window.page, 'choose', control))
    if (option) this.#report('click', 'option', option)
    this.#report('click', control, null)
    this.#window.traffic.noteAct()
    await this.#deadline.inPage(inspect(this.#window.page, 'press', control))
  }

  async pressEnter(): Promise<void> {
    this.#report('press', 'Enter', null)
    const { page, traffic, signal } = this.#window
    traffic.noteAct()
    await this.#deadline.inPage(pressEnter(page, signal))
  }

  #report(did: JourneyStep['did'], what: StepInput | null, where: string | null, url?: string): void {
    // Without the query, whose values belong to one login.
    const [page = ''] = (url ?? this.#window.page.url()).split(/[?#]/, 1)
    const shown = shownAddress(page)
    this.#onStep?.({ did, what, where, page: shown, pageHasDigests: shown !== page })
  }
}
