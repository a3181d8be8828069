import type { ClaimPage, ClaimRecipe } from '../browser/index.ts'
import { JourneyFailure } from '../browser/landing.ts'
import { Unfinished } from './retry-after-failure.ts'
import { Inconclusive } from './verdict.ts'

interface Restoration {
  /** What to do by hand if the original value could not be restored. */
  readonly warning: string | undefined
  /** The value on the page before the restoration; undefined if the claim was not changed or could not be read. */
  readonly valueBefore: string | undefined
}

interface ClaimValues {
  /** The value after the restoration. */
  readonly own: string
  /** The temporary value. */
  readonly other: string
}

/** A claim of the test user with a temporary value, which can be restored at any time. */
export class TemporaryClaim {
  readonly #page: ClaimPage
  readonly #valuesFor: (present: string) => ClaimValues
  #values: ClaimValues | undefined
  #saving: Promise<void> = Promise.resolve()
  #saved = false
  #restoration: Promise<Restoration> | undefined

  /** @param valuesFor chooses both values, given the present one; if it throws, the claim is not changed */
  constructor(page: ClaimPage, valuesFor: (present: string) => ClaimValues) {
    this.#page = page
    this.#valuesFor = valuesFor
  }

  /** Saves the temporary value, and returns both values. @throws {Unfinished} if the page is unusable */
  async change(): Promise<ClaimValues> {
    const write = async () => {
      await this.#page.write((present) => {
        this.#values = this.#valuesFor(present)
        return this.#values.other
      })
      this.#saved = true
    }
    this.#saving = write()
    await this.#saving.catch((error: unknown) => {
      throw error instanceof JourneyFailure ? new Unfinished(error.landing) : error
    })
    if (this.#values) return this.#values
    throw new Error('the claim was saved without a value')
  }

  /** Restores the original value. Further calls return the same promise, which never rejects. */
  restore(): Promise<Restoration> {
    this.#restoration ??= this.#restored()
    return this.#restoration
  }

  async #restored(): Promise<Restoration> {
    // Two concurrent uses of the page would interfere.
    await this.#saving.catch(() => undefined)
    if (!this.#values) return { warning: undefined, valueBefore: undefined }
    const { own, other } = this.#values
    // After a confirmed save, the original value is restored even if the page does not show the temporary one yet.
    const isChanged = this.#saved && other !== own
    let reason = 'the page does not show the original value after it was saved'
    let valueBefore: string | undefined
    // A second attempt, because the page may fail once.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      try {
        if (!isChanged && (await this.#page.read()) === own) return { warning: undefined, valueBefore }
        const before = await this.#page.write(() => own)
        valueBefore ??= before
        if ((await this.#page.read()) === own) return { warning: undefined, valueBefore }
      } catch (error) {
        reason = error instanceof Error ? error.message : 'the page could not be used'
      }
    }
    const warning = `THE CLAIM OF THE TEST USER WAS NOT RESTORED (${reason}): it may still have the value \`other\` of CLAIM_RECIPE; restore it by hand`
    return { warning, valueBefore }
  }
}

/**
 * The value to restore and the temporary value of a claim. If an earlier run left the claim changed, both are the
 * normal value of the recipe.
 * @throws {Inconclusive} if the recipe has no normal value
 */
export function valuesOf(
  { other, normal }: Pick<ClaimRecipe, 'other' | 'normal'>,
  present: string,
): ClaimValues {
  if (present !== other) return { own: present, other }
  if (normal !== undefined) return { own: normal, other: normal }
  throw new Inconclusive(
    'the claim already has the value `other` of CLAIM_RECIPE, perhaps because an earlier run was interrupted',
    {
      variables: ['CLAIM_RECIPE'],
      advice: 'restore the claim by hand, and add its usual value to CLAIM_RECIPE as `normal`',
    },
  )
}

/**
 * Changes a claim, runs `work`, and restores the claim in any case.
 * @throws the error of the change or of `work`, with instructions if the claim could not be restored
 */
export async function whileChanged<T>(claim: TemporaryClaim, work: (values: ClaimValues) => Promise<T>) {
  const worked = async () => work(await claim.change())
  const outcome = await worked().then(
    (value) => ({ value }),
    (failure: unknown) => ({ failure }),
  )
  const { warning, valueBefore } = await claim.restore()
  if ('failure' in outcome)
    throw warning === undefined ? outcome.failure : unrestored(outcome.failure, warning)
  return { outcome: outcome.value, warning, valueBefore }
}

function unrestored(failure: unknown, warning: string): Inconclusive {
  const reason = failure instanceof Error ? failure.message : 'the claim could not be changed'
  return new Inconclusive(`${reason}. ${warning}`, 'environment')
}
