import type { keywords } from './login-page-keywords.ts'

/** Reads the visible elements of a page. The class runs inside the page, so it uses nothing outside itself. */
export class PageElements {
  /** Visible elements, including those in open shadow trees. */
  visible(selector: string, root: Document | ShadowRoot = document): HTMLElement[] {
    return [...root.querySelectorAll<HTMLElement>('*')].flatMap((element) => {
      const isVisible = element.matches(selector) && this.isVisible(element)
      const within = element.shadowRoot ? this.visible(selector, element.shadowRoot) : []
      return isVisible ? [element, ...within] : within
    })
  }

  isVisible(element: HTMLElement): boolean {
    return (
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      element.getClientRects().length > 0 &&
      !element.matches('[aria-hidden="true"] *, [inert] *')
    )
  }

  fields(): HTMLInputElement[] {
    return this.visible(
      'input:not([type]), input[type=text], input[type=email], input[type=tel], input[type=number], input[type=password]',
    )
      .filter((field) => field instanceof HTMLInputElement)
      .filter((field) => !field.readOnly && !field.disabled && !this.#isInSearch(field))
  }

  /** Whether an element belongs to a search form, for example of the help pages. */
  #isInSearch(element: Element): boolean {
    const form = element.closest('form:not(:has([type=password]))')
    const field = form?.querySelector('[type=search], [name=q], [name=query], [name^=search i]')
    return element.closest('[role=search], search') !== null || (field !== null && field !== undefined)
  }

  /** Visible buttons and links, without those of cookie banners and search forms. */
  pressable(): HTMLElement[] {
    return this.visible(
      'button, input[type=submit], input[type=button], input[type=image], a, [role=button], [role=link]',
    ).filter(
      (element) =>
        !element.closest('[id*=cookie i], [class*=cookie i], [aria-label*=cookie i]') &&
        !this.#isInSearch(element),
    )
  }

  /** Whether an element is a link with an address. A link without an address runs a script, like a button. */
  isLink(element: HTMLElement): boolean {
    const link = 'a[href]:not([href="#"], [href^="javascript:" i]), [role=link]'
    return element.matches(link) && element.role !== 'button'
  }

  /** Frames that are large enough to contain fields. */
  frames(): HTMLElement[] {
    return this.visible('iframe').filter((each) => each.clientHeight * each.clientWidth > 5000)
  }

  /** Check boxes. */
  boxes(): HTMLElement[] {
    return [...this.#native('checkbox'), ...this.visible('[role=checkbox]:not(input)')]
  }

  /** Radio buttons. */
  options(): HTMLElement[] {
    return [...this.#native('radio'), ...this.visible('[role=radio]:not(input)')]
  }

  /** The text of a radio button: its label, the text after it, or its value. */
  optionText(option: HTMLElement): string {
    return this.#firstText(
      ...[this.labelsOf(option).join(' '), option.getAttribute('aria-label'), option.innerText],
      ...[option.nextSibling?.textContent, (option as HTMLInputElement).value],
    )
  }

  #firstText(...texts: readonly (string | null | undefined)[]): string {
    return texts.map((text) => text?.trim()).find(Boolean) ?? ''
  }

  /** Native check boxes or radio buttons that are visible, or have a visible label: a page may hide the box. */
  #native(type: 'checkbox' | 'radio'): HTMLInputElement[] {
    return [...document.querySelectorAll<HTMLInputElement>(`input[type=${type}]`)].filter(
      (box) => !box.disabled && [box, ...(box.labels ?? [])].some((element) => this.isVisible(element)),
    )
  }

  isTicked(box: HTMLElement): boolean {
    return box instanceof HTMLInputElement ? box.checked : box.getAttribute('aria-checked') === 'true'
  }

  /** Scrolls all texts to their end, as a reader of terms does. */
  readToEnd(): void {
    const isLonger = ({ scrollHeight, clientHeight }: HTMLElement) => scrollHeight > clientHeight + 1
    for (const element of this.visible('*').filter(isLonger)) {
      element.scrollTop = element.scrollHeight
      element.dispatchEvent(new Event('scroll', { bubbles: element === document.documentElement }))
    }
  }

  headings(): string[] {
    const shown = this.visible('h1, h2, h3, [role=heading], legend').map(({ innerText }) => innerText)
    return [document.title, ...shown].map((text) => text.trim()).filter(Boolean)
  }

  /** Whether the page shows a captcha. An invisible captcha needs no user. */
  hasCaptcha(): boolean {
    const widgets = '.g-recaptcha, .h-captcha, .cf-turnstile, [data-sitekey]'
    const hidden = '[data-size=invisible], [data-execution=execute], [data-appearance=interaction-only]'
    const frames =
      'iframe:is([src*=captcha i], [src*=turnstile]):not([src*="size=invisible"], .grecaptcha-badge *)'
    const own = `${frames}, img[alt*=captcha i], img[src*=captcha i]`
    const isField = (field: HTMLElement) => /captcha/i.test(this.hintsOf(field))
    return (
      [...document.querySelectorAll(widgets)].some((widget) => !widget.matches(`${hidden}, button, input`)) ||
      this.visible(own).length > 0 ||
      this.fields().some(isField)
    )
  }

  /** All labels and attributes that describe a field. */
  hintsOf(field: HTMLElement): string {
    const { name, id, placeholder } = field as HTMLInputElement
    return [name, id, placeholder, field.getAttribute('aria-label'), ...this.labelsOf(field)].join(' ')
  }

  labelsOf(field: HTMLElement): string[] {
    const { labels } = field as HTMLInputElement
    return [...(labels ?? []), ...this.#labelling(field)].map((label) => {
      // The text of a label around a list includes the options.
      const options = label.querySelector('select')?.innerText ?? ''
      return label.innerText.replace(options, '').trim()
    })
  }

  /** The name of a button or link: its label, its text, or the name of its picture. */
  textOf(element: HTMLElement): string {
    const { innerText, value, title } = element as HTMLInputElement
    const labelling = this.#labelling(element).map((label) => label.innerText)
    const picture = element.querySelector('img[alt], svg[aria-label], svg title, [role=img][aria-label]')
    return this.#firstText(
      ...[element.getAttribute('aria-label'), labelling.join(' '), innerText],
      ...[element.matches('input') ? value : undefined, element.getAttribute('alt')],
      ...[picture?.getAttribute('alt'), picture?.getAttribute('aria-label'), picture?.textContent],
      ...[title, value],
    )
  }

  /** The elements that `aria-labelledby` refers to. */
  #labelling(element: HTMLElement): HTMLElement[] {
    const ids = (element.getAttribute('aria-labelledby') ?? '').split(/\s+/).filter(Boolean)
    return ids.map((id) => document.getElementById(id)).filter((label) => label !== null)
  }
}

type Decision = 'accept' | 'cancel'

/**
 * Finds the two radio buttons of a decision, such as Allow and Deny. The class runs inside the page, so it uses nothing
 * outside itself.
 */
export class PageChoices {
  readonly #keywords: typeof keywords
  readonly #elements: PageElements

  constructor(words: typeof keywords, elements: PageElements) {
    this.#keywords = words
    this.#elements = elements
  }

  /**
   * The radio buttons that accept and cancel. Empty if one of them is missing, or if a heading shows that the page is
   * about an offer (a passkey) or a question (whether to stay signed in).
   */
  find(): Partial<Record<Decision, HTMLElement>> {
    const { without, unwanted, offer, question } = this.#keywords
    if (this.#elements.headings().some((text) => offer.test(text) || question.test(text))) return {}
    const options = this.#elements.options().filter((option) => !this.#isUnwanted(option))
    const answering = (answer: Decision) =>
      options.filter((option) => {
        const text = this.#elements.optionText(option)
        return this.#keywords[answer].test(text) && !(answer === 'accept' && without.test(text))
      })
    const accepting = answering('accept')
    const [cancel] = answering('cancel')
    // Prefer "Permit" to "Permit always", which lasts longer than the request.
    const once = accepting.find((option) => !unwanted.test(this.#elements.optionText(option)))
    const accept = once ?? accepting[0]
    return accept && cancel ? { accept, cancel } : {}
  }

  /** Whether the group of a radio button is about something that a login does not need, such as a newsletter. */
  #isUnwanted(option: HTMLElement): boolean {
    const group = option.closest('fieldset, [role=radiogroup]')
    const name = group?.querySelector('legend')?.innerText ?? group?.getAttribute('aria-label') ?? ''
    return this.#keywords.unwanted.test(name)
  }
}
