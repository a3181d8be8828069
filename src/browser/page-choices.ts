import type { keywords } from './keywords.ts'
import type { PageElements } from './page-elements.ts'

/** The two answers of a page that asks for a decision. */
export type Decision = 'accept' | 'cancel'

/** Finds the radio buttons of a decision, which a button sends. Runs inside the page, so it uses nothing from outside itself. */
export class PageChoices {
  readonly #keywords: typeof keywords
  readonly #elements: PageElements

  constructor(words: typeof keywords, elements: PageElements) {
    this.#keywords = words
    this.#elements = elements
  }

  /** The option of a decision; undefined unless the page offers both answers, or if it asks for something unneeded. */
  find(decision: Decision): HTMLElement | undefined {
    const { without, unwanted, offer, question } = this.#keywords
    if (this.#elements.headings().some((text) => offer.test(text) || question.test(text))) return undefined
    const options = this.#elements.options().filter((option) => !this.#isUnwanted(option))
    const answering = (answer: Decision) =>
      options.filter((option) => {
        const text = this.#elements.optionText(option)
        return this.#keywords[answer].test(text) && !(answer === 'accept' && without.test(text))
      })
    const [accepting, cancelling] = [answering('accept'), answering('cancel')]
    if (accepting.length === 0 || cancelling.length === 0) return undefined
    if (decision === 'cancel') return cancelling[0]
    // "Permit always" lasts longer than the request.
    const once = accepting.find((option) => !unwanted.test(this.#elements.optionText(option)))
    return once ?? accepting[0]
  }

  #isUnwanted(option: HTMLElement): boolean {
    const group = option.closest('fieldset, [role=radiogroup]')
    const name = group?.querySelector('legend')?.innerText ?? group?.getAttribute('aria-label') ?? ''
    return this.#keywords.unwanted.test(name)
  }
}
