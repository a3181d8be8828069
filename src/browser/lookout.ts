import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright'
import { JourneyFailure } from './landing.ts'
import type { Passage } from './passage.ts'
import type { LoginRecipe } from './recipe.ts'
import { isShown, recognitionOf } from './recipe-steps.ts'
import { type Sight, type Stage, survey } from './survey.ts'
import type { Traffic } from './traffic.ts'
import { words } from './words.ts'

/** A page with scripts that has not changed for so long is taken for finished, in milliseconds. */
const quietMs = 2000
/** The same for a page that says by its status that it is an error. */
const quietErrorMs = 300
/** How often a recipe's pages are looked for, in milliseconds. */
const recipePollMs = 100

/**
 * What to do where the user is asked: sign in and consent, press cancel, or stop and tell which page it is.
 */
export type Act = 'sign-in' | 'cancel' | 'stop'

export interface LookoutOptions {
  readonly page: Page
  readonly passage: Passage
  readonly traffic: Traffic
  readonly act: Act
  readonly recipe?: LoginRecipe
  readonly patient: boolean
}

/** Waits until a page can be told to ask for something, or for nothing. */
export class Lookout {
  readonly #options: LookoutOptions

  constructor(options: LookoutOptions) {
    this.#options = options
  }

  /** What the page asks for; undefined while it is on its way to another one. */
  async look(): Promise<Sight | undefined> {
    const { recipe, traffic } = this.#options
    const settleMs = (traffic.document?.status ?? 200) < 400 ? quietMs : quietErrorMs
    for (;;) {
      const withinMs = recipe ? recipePollMs : this.#options.passage.leftMs
      const sight = await this.#options.passage.inPage(
        this.#options.page.evaluate(survey, { words, withinMs, quietMs: settleMs }),
      )
      if (!sight) return undefined
      const recognised = recipe && (await this.#recognised(recipe, sight))
      if (recognised) return { ...sight, stage: recognised }
      const answered = sight.stage !== 'none' && sight.answered.includes(sight.stage)
      const atRest = sight.quiet && traffic.pending.size === 0
      if (sight.stage === 'none' || answered) {
        if (atRest && !this.#mayGoOn(sight)) return sight
      } else if (!this.#leftToRecipe(sight.stage)) {
        if (sight.quiet) return sight
      } else if (atRest && sight.stillMs >= settleMs) {
        throw new JourneyFailure(
          'configuration',
          `the ${sight.stage === 'consent' ? 'consent' : 'login'} page is not the one that LOGIN_RECIPE describes; correct its ${
            sight.stage === 'consent' ? 'consentPage' : 'loginPage'
          }, or the first step`,
        )
      }
      await this.#options.passage.inPage(sleep(20))
    }
  }

  /** A page that asks for nothing may be about to go on by itself, if only slowly. */
  #mayGoOn({ alive, fields, buttons }: Sight): boolean {
    const { traffic, patient } = this.#options
    return patient && alive && fields + buttons === 0 && (traffic.document?.status ?? 200) < 400
  }

  /** The stage whose page a recipe recognises, unless it was answered in this document. */
  async #recognised(recipe: LoginRecipe, { answered }: Sight): Promise<Stage | undefined> {
    const pages = [
      ['password', recognitionOf(recipe, 'signIn')],
      ['consent', recognitionOf(recipe, 'consent')],
    ] as const
    for (const [stage, at] of pages) {
      if (
        at &&
        !answered.includes(stage) &&
        (await this.#options.passage.inPage(isShown(this.#options.page, at)))
      )
        return stage
    }
    return undefined
  }

  /** Whether a recipe describes the pages of a stage, so that the heuristic keeps its hands off them. */
  #leftToRecipe(stage: Stage): boolean {
    const { recipe, act } = this.#options
    if (act !== 'sign-in') return false
    return stage === 'consent'
      ? recipe?.consent !== undefined
      : recipe?.signIn !== undefined && stage !== 'totp'
  }
}
