import { type ClaimPage, JourneyFailure } from '../browser/index.ts'
import { Unfinished } from './transient.ts'

/** The state of a claim after its change. */
interface Restoration {
  /** What to do by hand if the original value could not be restored. */
  readonly warning: string | undefined
  /** The value on the page before the restoration; undefined if none was necessary, or reading it failed. */
  readonly found: string | undefined
}

/** A claim of the test user with a temporary value, which can be restored at any time. */
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

  /**
   * Whether the temporary value differs: a claim that an interrupted run left changed receives its normal value
   * permanently.
   */
  get differs(): boolean {
    return this.#other !== this.#own
  }

  /** Saves the temporary value. @throws {Unfinished} if the page is unusable */
  async change(): Promise<void> {
    this.#saving = this.#page.write(this.#other).then(() => {
      this.#saved = true
    })
    await finished(this.#saving)
  }

  /** Restores the original value, once even if called several times. Never rejects. */
  restore(): Promise<Restoration> {
    this.#restoration ??= this.#restored()
    return this.#restoration
  }

  async #restored(): Promise<Restoration> {
    // Two concurrent uses of the page would interfere.
    await this.#saving.catch(() => undefined)
    // The page confirmed the temporary value: restore the original even if the page does not show the change yet.
    const changed = this.#saved && this.differs
    let reason = 'the page does not show the original value after it was saved'
    let found: string | undefined
    // The page may have failed once; a third attempt would not help.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      try {
        if (!changed && (await this.#page.read()) === this.#own) return { warning: undefined, found }
        const before = await this.#page.write(this.#own)
        found ??= before
        if ((await this.#page.read()) === this.#own) return { warning: undefined, found }
      } catch (error) {
        reason = error instanceof Error ? error.message : 'the page could not be used'
      }
    }
    const warning = `THE CLAIM OF THE TEST USER WAS NOT RESTORED (${reason}): it may still hold the value other of CLAIM_RECIPE; set it back by hand`
    return { warning, found }
  }
}

/** Work on a page; its error states how far the journey got. */
export async function finished<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof JourneyFailure ? new Unfinished(error.landing) : error
  }
}
