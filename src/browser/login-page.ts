import { address } from '../evidence/allow-list.ts'
import type { Credentials } from './credentials.ts'
import type { Deadline } from './deadline.ts'
import type { RecipeStep, SequenceName } from './recipe.ts'
import { describeLocator, runStep } from './recipe-steps.ts'
import { type Control, fill, markAnswered, type Prompt, press } from './recognition.ts'
import type { BrowserWindow } from './window.ts'

export const recipeHint = 'write a login recipe for it (LOGIN_RECIPE, see docs/login-recipes.md)'

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

export interface LoginPageOptions {
  readonly window: BrowserWindow
  readonly deadline: Deadline
  readonly credentials: Credentials
  /** Hears of everything that is typed and pressed. */
  readonly onStep?: (step: JourneyStep) => void
}

/** The page that asks the user for something, and what can be done on it. */
export class LoginPage {
  readonly credentials: Credentials
  readonly #options: LoginPageOptions

  constructor(options: LoginPageOptions) {
    this.#options = options
    this.credentials = options.credentials
  }

  /** What the login recipe says about a part of the login. */
  recipeFor(sequence: SequenceName): readonly RecipeStep[] | undefined {
    return this.#options.window.recipe?.[sequence]
  }

  async markAnswered(...prompts: readonly Prompt[]): Promise<void> {
    await this.#inPage((page) => markAnswered(page, prompts))
  }

  async fill(control: Control, value: string): Promise<void> {
    const url = this.#options.window.page.url()
    const where = await this.#inPage((page) => fill(page, control, value))
    this.#report('fill', control, where || null, url)
  }

  async press(control: Control): Promise<void> {
    this.#report('click', control, null)
    await this.#inPage((page) => press(page, control))
  }

  async pressEnter(): Promise<void> {
    this.#report('press', 'Enter', null)
    await this.#inPage((page) => page.keyboard.press('Enter'))
  }

  /** @param prompts that the steps answer, on whatever page they are carried out */
  async follow(
    sequence: SequenceName,
    steps: readonly RecipeStep[],
    ...prompts: readonly Prompt[]
  ): Promise<void> {
    for (const [index, step] of steps.entries()) {
      await this.markAnswered(...prompts)
      const what = step.do === 'fill' ? step.value : step.do === 'totp' ? 'totp' : null
      this.#report(step.do, what, describeLocator(step.at))
      await this.#inPage((page) => runStep(page, sequence, index + 1, step, this.credentials))
    }
  }

  #inPage<T>(work: (page: BrowserWindow['page']) => Promise<T>): Promise<T | undefined> {
    return this.#options.deadline.inPage(work(this.#options.window.page))
  }

  #report(did: JourneyStep['did'], what: string | null, where: string | null, url?: string): void {
    // The query of a page belongs to one login.
    const [page = ''] = (url ?? this.#options.window.page.url()).split(/[?#]/, 1)
    this.#options.onStep?.({ did, what, where, page: address(page) })
  }
}
