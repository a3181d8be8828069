import type { keywords } from './login-page-keywords.ts'
import type { PageChoices, PageElements } from './page-elements.ts'

/**
 * What a page prompts its user for. `loginMethod`: to choose how to sign in, for example with the password. `account`:
 * to continue with a known account. `offer`: to accept something that a login does not need, such as a passkey.
 */
export const allPrompts = ['user', 'password', 'totp', 'consent', 'loginMethod', 'account', 'offer'] as const
export type Prompt = (typeof allPrompts)[number]

/** Fields and buttons of a page, for `fill` and `press`. */
export type Control =
  | 'user'
  | 'password'
  | 'totp'
  | 'submit'
  | 'accept'
  | 'cancel'
  /** Leads to the password, or from a welcome page to the login. */
  | 'loginMethod'
  /** Continues with the account of the test user. */
  | 'account'
  /** Declines an offer. */
  | 'skip'
  /** Sends the login form to sign in without a password, for example with a link by e-mail. */
  | 'withoutPassword'

export interface FoundControls {
  readonly prompt: Prompt | 'none'
  readonly controls: Partial<Record<Control, HTMLElement>>
  /** The radio button to choose before a control is pressed, such as Deny before the submit button. */
  readonly choices: Partial<Record<Control, HTMLElement>>
  /** Whether the page shows a captcha that the user must solve. */
  readonly captcha: boolean
  /** Whether the page has a form that changes the password. */
  readonly newPassword: boolean
  /** Number of visible text fields, recognised or not, and of frames that may contain fields. */
  readonly fields: number
  /** Number of visible buttons and of links, recognised or not. */
  readonly buttons: number
  readonly links: number
}

/** Finds the prompt and the controls of a page. The class runs inside the page, so it uses nothing outside itself. */
export class PageControls {
  readonly #keywords: typeof keywords
  readonly #elements: PageElements
  readonly #choices: PageChoices
  /** Texts of buttons and links, which are slow to read. */
  #texts = new Map<HTMLElement, string>()

  constructor(words: typeof keywords, elements: PageElements, choices: PageChoices) {
    this.#keywords = words
    this.#elements = elements
    this.#choices = choices
  }

  /**
   * @param userName name of the test user, to recognise the account
   * @param mayStart whether Plumbline may follow a link to the login, if the page has no prompt
   */
  find(userName: string, mayStart: boolean): FoundControls {
    this.#texts = new Map()
    const fields = this.#elements.fields()
    const elements = this.#elements.pressable()
    const buttons = elements.filter((each) => !this.#elements.isLink(each))
    const totp = fields.find((field) => this.#isTotp(field, fields.length === 1))
    const [user, password] = this.#loginFields(
      fields.filter((field) => field !== totp),
      buttons,
    )
    const field = password ?? totp ?? user
    const [accepting, cancelling] = field ? [] : this.#decisions(buttons)
    const cancel = this.#cancel(elements) ?? cancelling?.button ?? this.#named(elements, this.#keywords.back)
    const submit = this.#submitButton(buttons, field, cancel)
    const found = {
      ...{ user, password, totp, submit, cancel },
      accept: accepting?.button ?? this.#accept(elements, buttons),
      loginMethod: this.#loginMethod(elements),
      account: fields.length === 0 ? this.#account(elements, userName) : undefined,
      skip: this.#skip(elements, field),
      withoutPassword: field?.form ? this.#withoutPassword(buttons, field, field.form) : undefined,
    }
    const prompt = this.#promptOf(found)
    const toLogin = prompt === 'none' && mayStart ? this.#named(elements, this.#keywords.signIn) : undefined
    const controls = toLogin ? { ...found, loginMethod: toLogin } : found
    return {
      prompt: toLogin ? 'loginMethod' : prompt,
      controls: Object.fromEntries(Object.entries(controls).filter(([, element]) => element)),
      choices: {
        ...(accepting && { accept: accepting.option }),
        ...(cancelling?.button === cancel && cancelling && { cancel: cancelling.option }),
      },
      captcha: this.#elements.hasCaptcha(),
      newPassword: fields.some((each) => this.#changesPassword(each)),
      fields: fields.length + this.#elements.frames().length,
      buttons: buttons.length,
      links: elements.length - buttons.length,
    }
  }

  #textOf(element: HTMLElement): string {
    const text = this.#texts.get(element) ?? this.#elements.textOf(element)
    this.#texts.set(element, text)
    return text
  }

  #named(elements: readonly HTMLElement[], pattern: RegExp): HTMLElement | undefined {
    return elements.find((element) => pattern.test(this.#textOf(element)))
  }

  #hasHeading(pattern: RegExp): boolean {
    return this.#elements.headings().some((text) => pattern.test(text))
  }

  #promptOf(found: Readonly<Record<Control, HTMLElement | undefined>>): Prompt | 'none' {
    const { user, password, totp, submit, accept, loginMethod, account, skip } = found
    if (password) return 'password'
    if (skip) return 'offer'
    if (totp) return 'totp'
    // Without a submit button, the field may only serve to send a link by e-mail: prefer the password.
    if (user && !(loginMethod && !submit)) return 'user'
    if (loginMethod) return 'loginMethod'
    const isAccount = account && !this.#elements.boxes().some((box) => !this.#elements.isTicked(box))
    return isAccount ? 'account' : accept ? 'consent' : 'none'
  }

  #isTotp(field: HTMLInputElement, isOnlyField: boolean): boolean {
    const { autocomplete, type, maxLength, inputMode, pattern } = field
    if (autocomplete === 'one-time-code') return true
    const isOther = /username|email|password/.test(autocomplete)
    if (!isOther && this.#keywords.totp.test(this.#elements.hintsOf(field))) return true
    const isNumeric = inputMode === 'numeric' || type !== 'text' || /\\d|0-9/.test(pattern)
    return isOnlyField && type !== 'password' && maxLength >= 4 && maxLength <= 10 && isNumeric
  }

  /** Whether a field is in a form that changes the password: with the old password once, and the new password twice. */
  #changesPassword({ type, form }: HTMLInputElement): boolean {
    const inForm = this.#elements.fields().filter((each) => form && each.form === form && each.type === type)
    return type === 'password' && inForm.length > 2
  }

  #loginFields(
    fields: readonly HTMLInputElement[],
    buttons: readonly HTMLElement[],
  ): (HTMLInputElement | undefined)[] {
    const passwords = fields.filter(
      (each) =>
        each.type === 'password' && each.autocomplete !== 'new-password' && !this.#changesPassword(each),
    )
    // A page may show registration beside the login: type the password only into a form with a known sign-in button.
    const hasSeveralForms = new Set(passwords.map(({ form }) => form)).size > 1
    const isInLoginForm = ({ form }: HTMLInputElement) =>
      buttons.some((button) => this.#isIn(button, form) && this.#keywords.submit.test(this.#textOf(button)))
    const inOneForm = (found: HTMLInputElement[]) => found.every(({ form }) => form === found[0]?.form)
    const candidates = hasSeveralForms ? passwords.filter(isInLoginForm) : passwords.slice(0, 1)
    const password =
      passwords.find((each) => each.autocomplete === 'current-password') ??
      (inOneForm(candidates) ? candidates[0] : undefined)
    if (hasSeveralForms && !password) return []
    const others = fields.filter(({ type }) => type !== 'password')
    const inSameForm = password ? others.filter(({ form }) => form === password.form) : others
    const precedes = (field: HTMLInputElement) =>
      password && field.compareDocumentPosition(password) & Node.DOCUMENT_POSITION_FOLLOWING
    const user =
      inSameForm.find(({ autocomplete }) => /username|email/.test(autocomplete)) ??
      inSameForm.find(({ type }) => type === 'email') ??
      inSameForm.find((field) => this.#keywords.user.test(this.#elements.hintsOf(field))) ??
      inSameForm.findLast(precedes)
    return [user, password]
  }

  /**
   * The button that sends the form of a field; undefined if no button has at least the weight 2. A text such as "Sign
   * in" weighs 4. A button of the form weighs 0.5, or 3.5 if it sends the form. A button outside the form weighs −2.
   */
  #submitButton(
    buttons: readonly HTMLElement[],
    field: HTMLInputElement | undefined,
    cancel: HTMLElement | undefined,
  ): HTMLElement | undefined {
    const { submit, without, elsewhere, password } = this.#keywords
    const weigh = (button: HTMLElement): number => {
      const text = this.#textOf(button)
      const isOtherProvider = elsewhere.test(text) && !password.test(text)
      if (button === cancel || isOtherProvider || this.#isDetour(button, field)) return 0
      const inForm = field?.form ? this.#isIn(button, field.form) : true
      const formWeight = inForm ? 0.5 + (this.#sendsForm(button) ? 3 : 0) : -2
      return (submit.test(text) && !without.test(text) ? 4 : 0) + formWeight
    }
    const best = [...buttons].sort((a, b) => weigh(b) - weigh(a))[0]
    return field && best && weigh(best) >= 2 ? best : undefined
  }

  #isIn(button: HTMLElement, form: HTMLFormElement | null): boolean {
    return (button as HTMLButtonElement).form === form || form?.contains(button) === true
  }

  #sendsForm(button: HTMLElement): boolean {
    return /^(?:submit|image)$/.test((button as HTMLInputElement).type)
  }

  #withoutPassword(
    buttons: readonly HTMLElement[],
    field: HTMLInputElement,
    form: HTMLFormElement,
  ): HTMLElement | undefined {
    const submitButtons = buttons.filter((button) => this.#isIn(button, form) && this.#sendsForm(button))
    return submitButtons.find((button) => this.#isDetour(button, field))
  }

  /** Whether a button signs in without the password: by a message or by a passkey. */
  #isDetour(element: HTMLElement, field?: HTMLInputElement): boolean {
    const { passwordless, password } = this.#keywords
    const text = this.#textOf(element)
    // Beside the field for a code, "Send code" may submit the typed code.
    const isCode = field !== undefined && this.#isTotp(field, true)
    return !isCode && passwordless.test(text) && !password.test(text)
  }

  #accept(elements: readonly HTMLElement[], buttons: readonly HTMLElement[]): HTMLElement | undefined {
    const { accept, without, submit, terms } = this.#keywords
    const accepts = (element: HTMLElement): boolean => {
      const text = this.#textOf(element)
      return accept.test(text) && !without.test(text) && !this.#isDetour(element)
    }
    const isTerms = (box: HTMLElement) => terms.test(this.#elements.hintsOf(box))
    const hasTerms = () => this.#elements.boxes().some(isTerms)
    // On a page with terms, a button such as "Continue" accepts them.
    return (
      buttons.find(accepts) ??
      elements.find(accepts) ??
      (hasTerms() ? this.#named(buttons, submit) : undefined)
    )
  }

  #cancel(elements: readonly HTMLElement[]): HTMLElement | undefined {
    return (
      this.#named(elements, this.#keywords.cancel) ??
      elements.find(({ value }: Partial<HTMLInputElement>) =>
        /^(?:cancel|abort|deny|decline|reject)/i.test(value ?? ''),
      )
    )
  }

  /** The radio buttons that accept and refuse, each with the button that submits the choice. */
  #decisions(buttons: readonly HTMLElement[]): ({ option: HTMLElement; button: HTMLElement } | undefined)[] {
    const { submit, accept, cancel, back } = this.#keywords
    const choices = this.#choices.find()
    return [choices.accept, choices.cancel].map((option) => {
      const form = option?.closest('form')
      if (!option || !form) return undefined
      const inForm = buttons.filter((each) => this.#isIn(each, form) && !this.#matches(each, cancel, back))
      const button =
        inForm.find((each) => this.#matches(each, submit, accept)) ??
        inForm.find((each) => this.#sendsForm(each))
      return button && { option, button }
    })
  }

  #matches(element: HTMLElement, ...patterns: readonly RegExp[]): boolean {
    return patterns.some((pattern) => pattern.test(this.#textOf(element)))
  }

  /** The control that leads to the password, on a page that signs in without a password. */
  #loginMethod(elements: readonly HTMLElement[]): HTMLElement | undefined {
    const { password, aboutPassword, otherWay, passwordless } = this.#keywords
    const isPasswordless = this.#hasHeading(passwordless) || this.#named(elements, passwordless)
    const notAbout = elements.filter((element) => !aboutPassword.test(this.#textOf(element)))
    return this.#named(notAbout, password) ?? (isPasswordless ? this.#named(elements, otherWay) : undefined)
  }

  #account(elements: readonly HTMLElement[], userName: string): HTMLElement | undefined {
    const { account, accounts, notAccount } = this.#keywords
    const texts = elements.map((element) => [element, this.#textOf(element)] as const)
    const usable = texts.filter(([, text]) => !notAccount.test(text))
    const isList = userName !== '' && this.#hasHeading(accounts)
    const isNamed = (text: string) => isList && text.toLowerCase().includes(userName.toLowerCase())
    return usable.find(([, text]) => account.test(text) || isNamed(text))?.[0]
  }

  /** The control that declines an offer, such as a passkey, or a question, such as whether to stay signed in. */
  #skip(elements: readonly HTMLElement[], field: HTMLElement | undefined): HTMLElement | undefined {
    const { offer, question, skip, notNow, cancel } = this.#keywords
    const isOffer = this.#hasHeading(offer)
    if (!isOffer && (field || !this.#hasHeading(question))) return undefined
    const declining = this.#named(elements, skip) ?? this.#named(elements, notNow)
    return declining ?? (isOffer ? undefined : this.#named(elements, cancel))
  }
}
