import { type ClaimPage, JourneyFailure } from '../browser/index.ts'
import { Unfinished } from './transient.ts'

/** How a claim was left. */
interface Restoration {
  /** What to do by hand, where its own value could not be put back. */
  readonly left: string | undefined
  /** What the page showed before it was put back; undefined where that was not needed, or did not work. */
  readonly found: string | undefined
}

/** A claim of the test user that is given another value for a while. Its own can be put back at every moment. */
export class TemporaryClaim {
  readonly #page: ClaimPage
  readonly #own: string
  readonly #other: string
  #saving: Promise<void> = Promise.resolve()
  #saved = false
  #restoration: Promise<Restoration> | undefined

  constructor(page: ClaimPage, own: string, other: string) {
    this.#page = page
    this.#own = own
    this.#other = other
  }

  /** Whether the other value is another one: a claim that a broken-off run left changed gets its normal value for good. */
  get differs(): boolean {
    return this.#other !== this.#own
  }

  /** Saves the other value. @throws {Unfinished} where the page cannot be used */
  async change(): Promise<void> {
    this.#saving = this.#page.write(this.#other).then(() => {
      this.#saved = true
    })
    await finished(this.#saving)
  }

  /** Puts its own value back, once however often it is asked for. Never rejects. */
  restore(): Promise<Restoration> {
    this.#restoration ??= this.#restored()
    return this.#restoration
  }

  async #restored(): Promise<Restoration> {
    // Two at a time would get in each other's way on the page.
    await this.#saving.catch(() => undefined)
    // The page said that it saved the other value: its own is put back even if the page does not show that yet.
    const changed = this.#saved && this.differs
    let reason = 'the page does not show its own value after it was saved'
    let found: string | undefined
    // The page may have had a hiccup; a third attempt would be of no more use.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      try {
        if (!changed && (await this.#page.read()) === this.#own) return { left: undefined, found }
        const before = await this.#page.write(this.#own)
        found ??= before
        if ((await this.#page.read()) === this.#own) return { left: undefined, found }
      } catch (error) {
        reason = error instanceof Error ? error.message : 'the page could not be used'
      }
    }
    const left = `THE CLAIM OF THE TEST USER WAS NOT RESTORED (${reason}): it may still hold the value other of CLAIM_RECIPE; set it back by hand`
    return { left, found }
  }
}

/** Work on a page, whose failure says how far the journey came. */
export async function finished<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof JourneyFailure ? new Unfinished(error.landing) : error
  }
}
