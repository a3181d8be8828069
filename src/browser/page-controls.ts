import type { keywords } from './keywords.ts'
import type { PageElements } from './page-elements.ts'

/**
 * What a page asks of its user: to sign in by another way than the one that it shows (way), to go on with an account
 * that it knows (account), or to accept something that a login does not need (offer).
 */
export const allPrompts = ['user', 'password', 'totp', 'consent', 'way', 'account', 'offer'] as const
export type Prompt = (typeof allPrompts)[number]

/** Fields and buttons of a page that `fill` and `press` can reach. */
export type Control =
  | 'user'
  | 'password'
  | 'totp'
  | 'submit'
  | 'accept'
  | 'cancel'
  /** Leads to the password. */
  | 'way'
  /** Goes on with the account of the test user. */
  | 'account'
  /** Declines an offer. */
  | 'skip'
  /** Sends the form of a field to sign in without a password. */
  | 'detour'

/** The controls of a page, and what it asks for. */
export interface FoundControls {
  readonly prompt: Prompt | 'none'
  readonly controls: Partial<Record<Control, HTMLElement>>
  /** It shows a captcha that its user has to solve. */
  readonly captcha: boolean
  /** Visible text fields, recognised or not, and frames that may hold some. */
  readonly fields: number
  /** Visible buttons, recognised or not. */
  readonly buttons: number
}

/** Finds what a page asks for. Runs inside the page, so it uses nothing from outside itself. */
export class PageControls {
  readonly #keywords: typeof keywords
  readonly #elements: PageElements
  /** Texts of buttons and links, which are slow to read. */
  #texts = new Map<HTMLElement, string>()

  constructor(words: typeof keywords, elements: PageElements) {
    this.#keywords = words
    this.#elements = elements
  }

  /** @param userName of the test user, whose account a page may offer to go on with */
  find(userName: string): FoundControls {
    this.#texts = new Map()
    const fields = this.#elements.fields()
    const elements = this.#elements.pressable()
    const buttons = elements.filter((each) => !each.matches('a, [role=link]') || each.role === 'button')
    const totp = fields.find((field) => this.#isTotp(field, fields.length === 1))
    const [user, password] = this.#loginFields(fields.filter((field) => field !== totp))
    const field = password ?? totp ?? user
    const cancel = this.#cancel(elements)
    const submit = this.#submitButton(buttons, field, cancel)
    const found = {
      ...{ user, password, totp, submit, cancel },
      accept: this.#accept(elements, buttons),
      way: this.#way(elements),
      account: fields.length === 0 ? this.#account(elements, userName) : undefined,
      skip: this.#skip(elements, field),
      detour: field && buttons.find((each) => this.#isDetour(each, field) && this.#sends(each, field)),
    }
    const frames = this.#elements
      .visible('iframe')
      .filter((each) => each.clientHeight * each.clientWidth > 5000)
    return {
      prompt: this.#promptOf(found),
      controls: Object.fromEntries(Object.entries(found).filter(([, element]) => element)),
      captcha: this.#hasCaptcha(),
      fields: fields.length + frames.length,
      buttons: buttons.length,
    }
  }

  #textOf(element: HTMLElement): string {
    const text = this.#texts.get(element) ?? this.#elements.textOf(element)
    this.#texts.set(element, text)
    return text
  }

  #promptOf({
    user,
    password,
    totp,
    submit,
    accept,
    way,
    account,
    skip,
  }: Readonly<Record<Exclude<Control, 'cancel' | 'detour'>, HTMLElement | undefined>>): Prompt | 'none' {
    if (password) return 'password'
    if (skip) return 'offer'
    if (totp) return 'totp'
    // A form that only sends a link by e-mail is left alone where there is a way to the password.
    if (user && !(way && !submit)) return 'user'
    if (way) return 'way'
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

  /** The fields for user and password that belong together. */
  #loginFields(fields: readonly HTMLInputElement[]): (HTMLInputElement | undefined)[] {
    const passwords = fields.filter(
      (each) => each.type === 'password' && each.autocomplete !== 'new-password',
    )
    // A page may offer registration beside login: the password goes where a known word signs in, or nowhere.
    const severalForms = new Set(passwords.map(({ form }) => form)).size > 1
    const signsIn = ({ form }: HTMLInputElement) =>
      this.#elements
        .visible('button, input[type=submit], input[type=image], [role=button]')
        .filter((button) => (button as HTMLButtonElement).form === form || form?.contains(button))
        .some((button) => this.#keywords.submit.test(this.#textOf(button)))
    const inOneForm = (found: HTMLInputElement[]) => found.every(({ form }) => form === found[0]?.form)
    const inLogin = severalForms ? passwords.filter(signsIn) : passwords.slice(0, 1)
    const password =
      passwords.find((each) => each.autocomplete === 'current-password') ??
      (inOneForm(inLogin) ? inLogin[0] : undefined)
    if (severalForms && !password) return []
    const texts = fields.filter(({ type }) => type !== 'password')
    const beside = password ? texts.filter(({ form }) => form === password.form) : texts
    const precedes = (field: HTMLInputElement) =>
      password && field.compareDocumentPosition(password) & Node.DOCUMENT_POSITION_FOLLOWING
    const user =
      beside.find(({ autocomplete }) => /username|email/.test(autocomplete)) ??
      beside.find(({ type }) => type === 'email') ??
      beside.find((field) => this.#keywords.user.test(this.#elements.hintsOf(field))) ??
      beside.findLast(precedes)
    return [user, password]
  }

  /** The button that sends the form of a field; undefined where none is likely enough. */
  #submitButton(
    buttons: readonly HTMLElement[],
    field: HTMLInputElement | undefined,
    cancel: HTMLElement | undefined,
  ): HTMLElement | undefined {
    const { submit, without, elsewhere, password } = this.#keywords
    const weigh = (button: HTMLElement): number => {
      const text = this.#textOf(button)
      const isElsewhere = elsewhere.test(text) && !password.test(text)
      if (button === cancel || isElsewhere || this.#isDetour(button, field)) return 0
      const inForm = field?.form ? this.#isIn(button, field.form) : true
      const sends = inForm && /^(?:submit|image)$/.test((button as HTMLInputElement).type)
      return (submit.test(text) && !without.test(text) ? 4 : 0) + (sends ? 3 : 0) + (inForm ? 0.5 : -2)
    }
    const best = [...buttons].sort((a, b) => weigh(b) - weigh(a))[0]
    return field && best && weigh(best) >= 2 ? best : undefined
  }

  #isIn(button: HTMLElement, form: HTMLFormElement): boolean {
    return form.contains(button) || (button as HTMLButtonElement).form === form
  }

  #sends(button: HTMLElement, { form }: HTMLInputElement): boolean {
    return (
      form !== null &&
      this.#isIn(button, form) &&
      /^(?:submit|image)$/.test((button as HTMLInputElement).type)
    )
  }

  /** Whether a button signs in without the password of the page: by a message or by a passkey. */
  #isDetour(element: HTMLElement, field?: HTMLInputElement): boolean {
    const { passwordless, password } = this.#keywords
    const text = this.#textOf(element)
    // Beside the field for a code, "Send code" may send what is in it.
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
    return (
      buttons.find(accepts) ??
      elements.find(accepts) ??
      (hasTerms() ? buttons.find((button) => submit.test(this.#textOf(button))) : undefined)
    )
  }

  #cancel(elements: readonly HTMLElement[]): HTMLElement | undefined {
    const { cancel, back } = this.#keywords
    return (
      elements.find((element) => cancel.test(this.#textOf(element))) ??
      elements.find(({ value }: Partial<HTMLInputElement>) =>
        /^(?:cancel|abort|deny|decline|reject)/i.test(value ?? ''),
      ) ??
      elements.find((element) => back.test(this.#textOf(element)))
    )
  }

  /** What leads to the password, on a page that would sign in without one. */
  #way(elements: readonly HTMLElement[]): HTMLElement | undefined {
    const { password, aboutPassword, otherWay, passwordless } = this.#keywords
    const shown = [...this.#elements.headings(), ...elements.map((element) => this.#textOf(element))]
    const find = (isWay: (text: string) => boolean) =>
      elements.find((element) => isWay(this.#textOf(element)))
    const another = shown.some((text) => passwordless.test(text))
      ? find((text) => otherWay.test(text))
      : undefined
    return find((text) => password.test(text) && !aboutPassword.test(text)) ?? another
  }

  #account(elements: readonly HTMLElement[], userName: string): HTMLElement | undefined {
    const { account, accounts, notAccount } = this.#keywords
    const texts = elements.map((element) => [element, this.#textOf(element)] as const)
    const usable = texts.filter(([, text]) => !notAccount.test(text))
    const isList = userName !== '' && this.#elements.headings().some((text) => accounts.test(text))
    const isNamed = (text: string) => isList && text.toLowerCase().includes(userName.toLowerCase())
    return usable.find(([, text]) => account.test(text) || isNamed(text))?.[0]
  }

  /** What declines something that a login does not need; undefined where the page offers nothing of that kind. */
  #skip(elements: readonly HTMLElement[], field: HTMLElement | undefined): HTMLElement | undefined {
    const { offer, question, skip, notNow, cancel } = this.#keywords
    const headings = this.#elements.headings()
    const find = (pattern: RegExp) => elements.find((element) => pattern.test(this.#textOf(element)))
    if (headings.some((text) => offer.test(text))) return find(skip) ?? find(notNow)
    const isQuestion = !field && headings.some((text) => question.test(text))
    return isQuestion ? (find(skip) ?? find(notNow) ?? find(cancel)) : undefined
  }

  /** Whether the page shows a captcha; one without a visible part decides by itself. */
  #hasCaptcha(): boolean {
    const widgets = '.g-recaptcha, .h-captcha, .cf-turnstile, [data-sitekey]'
    const hidden = '[data-size=invisible], [data-execution=execute], [data-appearance=interaction-only]'
    const frames =
      'iframe:is([src*=captcha i], [src*=turnstile]):not([src*="size=invisible"], .grecaptcha-badge *)'
    const own = `${frames}, img[alt*=captcha i], img[src*=captcha i]`
    const isField = (field: HTMLElement) => /captcha/i.test(this.#elements.hintsOf(field))
    return (
      [...document.querySelectorAll(widgets)].some((widget) => !widget.matches(`${hidden}, button, input`)) ||
      this.#elements.visible(own).length > 0 ||
      this.#elements.fields().some(isField)
    )
  }
}
