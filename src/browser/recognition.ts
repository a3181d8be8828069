import type { ElementHandle, Page } from 'playwright'
import { keywords } from './keywords.ts'
import { activityExpression, type PageActivity } from './page-activity.ts'

/** What a page asks of its user. */
export const allPrompts = ['user', 'password', 'totp', 'consent'] as const
export type Prompt = (typeof allPrompts)[number]

/** Fields and buttons of a page that `fill` and `press` can reach. */
export type Control = 'user' | 'password' | 'totp' | 'submit' | 'accept' | 'cancel'

/** What was recognised on a page. */
export interface PageSnapshot {
  readonly prompt: Prompt | 'none'
  readonly controls: readonly Control[]
  /** Prompts that were answered in this very document already. */
  readonly answered: readonly Prompt[]
  /** The page asks for something, or nothing in it is under way: its requests may be. */
  readonly settled: boolean
  /** Since the page was loaded and last changed, in milliseconds; 0 while it loads. */
  readonly unchangedMs: number
  /** The page has changed since the user last did something, and can be used again. */
  readonly reacted: boolean
  /** Visible text fields, recognised or not, and frames that may hold some. */
  readonly fields: number
  /** Visible buttons, recognised or not. */
  readonly buttons: number
  /** It has scripts or a refresh, so it may become another page by itself. */
  readonly dynamic: boolean
}

/** When a page counts as settled. */
export interface RecognitionOptions {
  /** After which it is described as it is, in milliseconds. */
  readonly withinMs: number
  /** Timers and refreshes after this time are not waited for, in milliseconds. */
  readonly limitMs: number
  /** A page that stays as it is for so long asks what it shows, whatever is under way, in milliseconds. */
  readonly unchangedMs: number
  /** How long a page with scripts has to rest until it asks for nothing more, in milliseconds. */
  readonly quietMs: number
  /** When the page goes on by a Refresh header, in milliseconds; 0 where it has none. */
  readonly refreshMs: number
  /** Prompts that were answered before: a page with scripts that asks for them again may be about to go on. */
  readonly again: readonly Prompt[]
}

/** Runs inside the page, one for each document, so it uses nothing from outside itself. */
class PageInspector {
  readonly #keywords: typeof keywords
  readonly #activity: PageActivity
  readonly #answered: Prompt[] = []
  #controls: Partial<Record<Control, HTMLElement>> = {}

  constructor(words: typeof keywords, activity: PageActivity) {
    this.#keywords = words
    this.#activity = activity
  }

  /** Resolves when the page asks for something that was not answered yet, or has come to rest. */
  settled(options: RecognitionOptions): Promise<PageSnapshot> {
    const began = performance.now()
    return new Promise((resolve) => {
      const check = (): boolean => {
        const snapshot = this.#snapshot(options, performance.now() - began >= options.withinMs)
        if (snapshot) resolve(snapshot)
        return snapshot !== undefined
      }
      if (check()) return
      const timer = setInterval(() => check() && clearInterval(timer), 20)
    })
  }

  #snapshot(options: RecognitionOptions, late: boolean): PageSnapshot | undefined {
    const { readyState } = document
    const refreshMs = this.#refreshMs(options)
    const scripts = document.querySelector('script, [onload], [onclick], [onsubmit]')
    const dynamic = refreshMs > 0 || scripts !== null || this.#activity.setsTimers
    const unchangedMs = readyState === 'complete' ? this.#activity.unchangedMs : 0
    // A page without scripts is complete as soon as it is read. Others may still be building themselves.
    const isComplete = !dynamic && this.#answered.length === 0
    const leastMs = isComplete ? 0 : 150
    if (!late && (readyState === 'loading' || unchangedMs < leastMs)) return undefined
    const found = this.#inspect()
    const { prompt, controls } = found
    const isNew = prompt !== 'none' && !this.#answered.includes(prompt) && !options.again.includes(prompt)
    // The button may come later than the fields.
    const asks = isNew && (prompt === 'consent' || controls.includes('submit'))
    const settled = isComplete || (asks ? this.#asks(options, unchangedMs) : this.#rests(options, refreshMs))
    if (!settled && !late) return undefined
    const reacted = this.#activity.hasReacted && !this.#controls.submit?.matches(':disabled')
    return { ...found, answered: this.#answered, settled, unchangedMs, reacted, dynamic }
  }

  /** When the page goes on by a refresh; 0 where it does not, or too late to wait for it. */
  #refreshMs({ limitMs, refreshMs }: RecognitionOptions): number {
    const refresh = document.querySelector<HTMLMetaElement>('meta[http-equiv=refresh i]')
    const metaMs = refresh ? Number.parseFloat(refresh.content) * 1000 || 1 : 0
    const ms = Math.max(metaMs, refreshMs)
    return ms > limitMs ? 0 : ms
  }

  /** Whether a page that asks for something is to be believed: nothing is under way, or it stays as it is. */
  #asks(options: RecognitionOptions, unchangedMs: number): boolean {
    return unchangedMs >= options.unchangedMs || !this.#activity.isUnderWay(options.unchangedMs)
  }

  #rests({ limitMs, quietMs }: RecognitionOptions, refreshMs: number): boolean {
    const rests = document.readyState === 'complete' && this.#activity.restMs >= quietMs + refreshMs
    return rests && !this.#activity.isUnderWay(limitMs)
  }

  #inspect(): Pick<PageSnapshot, 'prompt' | 'controls' | 'fields' | 'buttons'> {
    const fields = this.#visible(
      'input:not([type]), input[type=text], input[type=email], input[type=tel], input[type=number], input[type=password]',
    )
      .filter((field) => field instanceof HTMLInputElement)
      .filter((field) => !field.readOnly && !field.disabled)
    const elements = this.#visible(
      'button, input[type=submit], input[type=button], input[type=image], a, [role=button], [role=link]',
    ).filter((element) => !element.closest('[id*=cookie i], [class*=cookie i], [aria-label*=cookie i]'))
    const buttons = elements.filter((each) => !each.matches('a, [role=link]') || each.role === 'button')
    const frames = this.#visible('iframe').filter((each) => each.clientHeight * each.clientWidth > 5000)

    const totp = fields.find((field) => this.#isTotp(field, fields.length === 1))
    const [user, password] = this.#loginFields(fields.filter((field) => field !== totp))
    const cancel =
      elements.find((element) => this.#keywords.cancel.test(this.#textOf(element))) ??
      elements.find(({ value }: Partial<HTMLInputElement>) =>
        /^(?:cancel|abort|deny|decline|reject)/i.test(value ?? ''),
      )
    const submit = this.#submitButton(buttons, password ?? totp ?? user, cancel)
    const accept = buttons.find(this.#accepts) ?? elements.find(this.#accepts)
    const found = Object.entries({ user, password, totp, submit, accept, cancel })
    this.#controls = Object.fromEntries(found.filter(([, element]) => element))
    return {
      prompt: password ? 'password' : totp ? 'totp' : user ? 'user' : accept ? 'consent' : 'none',
      controls: Object.keys(this.#controls) as Control[],
      fields: fields.length + frames.length,
      buttons: buttons.length,
    }
  }

  #isTotp(field: HTMLInputElement, isOnlyField: boolean): boolean {
    const { autocomplete, type, maxLength, inputMode, pattern } = field
    if (autocomplete === 'one-time-code') return true
    const isOther = /username|email|password/.test(autocomplete)
    if (!isOther && this.#keywords.totp.test(this.#hintsOf(field))) return true
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
      this.#visible('button, input[type=submit], input[type=image], [role=button]')
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
      beside.find((field) => this.#keywords.user.test(this.#hintsOf(field))) ??
      beside.findLast(precedes)
    return [user, password]
  }

  /** The button that sends the form of a field; undefined where none is likely enough. */
  #submitButton(
    buttons: readonly HTMLElement[],
    field: HTMLInputElement | undefined,
    cancel: HTMLElement | undefined,
  ): HTMLElement | undefined {
    const { submit, elsewhere, without } = this.#keywords
    const form = field?.form
    const weigh = (button: HTMLElement): number => {
      const text = this.#textOf(button)
      if (button === cancel || elsewhere.test(text)) return 0
      const { type, form: owner } = button as HTMLInputElement
      const inForm = form ? form.contains(button) || owner === form : true
      const sends = inForm && (type === 'submit' || type === 'image')
      return (submit.test(text) && !without.test(text) ? 4 : 0) + (sends ? 3 : 0) + (inForm ? 0.5 : -2)
    }
    const best = [...buttons].sort((a, b) => weigh(b) - weigh(a))[0]
    return field && best && weigh(best) >= 2 ? best : undefined
  }

  readonly #accepts = (element: HTMLElement): boolean => {
    const text = this.#textOf(element)
    return this.#keywords.accept.test(text) && !this.#keywords.without.test(text)
  }

  /** Visible elements, those in open shadow trees included. */
  #visible(selector: string, root: Document | ShadowRoot = document): HTMLElement[] {
    return [...root.querySelectorAll<HTMLElement>('*')].flatMap((element) => {
      const isVisible =
        element.matches(selector) &&
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
        element.getClientRects().length > 0 &&
        !element.matches('[aria-hidden="true"] *, [inert] *')
      const within = element.shadowRoot ? this.#visible(selector, element.shadowRoot) : []
      return isVisible ? [element, ...within] : within
    })
  }

  /** Everything that names a field. */
  #hintsOf(field: HTMLInputElement): string {
    const labelledBy = (field.getAttribute('aria-labelledby') ?? '').split(/\s+/).filter(Boolean)
    const labels = [...(field.labels ?? []), ...labelledBy.map((id) => document.getElementById(id))]
    const texts = labels.map((label) => label?.innerText)
    return [field.name, field.id, field.placeholder, field.getAttribute('aria-label'), ...texts].join(' ')
  }

  #textOf(element: HTMLElement): string {
    const { innerText, value, title } = element as HTMLInputElement
    const label = element.getAttribute('aria-label')
    return (label || innerText || value || element.getAttribute('alt') || title || '').trim()
  }

  markAnswered(prompts: readonly Prompt[]): void {
    this.#answered.push(...prompts)
    this.#activity.acted()
  }

  /** Gives a field a value as typing would, but in one go. */
  fill(control: Control, value: string): string {
    const field = this.#controls[control]
    if (!field) return ''
    field.focus()
    // The setter of the prototype, because frameworks replace the one of the element.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, value)
    field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertText' }))
    field.dispatchEvent(new KeyboardEvent('keyup', { bubbles: true, composed: true }))
    field.dispatchEvent(new Event('change', { bubbles: true }))
    return field.getAttribute('name') || field.id
  }

  /** Presses a button, also one that a banner covers. */
  press(control: Control): void {
    this.#activity.acted()
    this.#controls[control]?.click()
  }

  /** The focused field of this document. */
  focused(): Element | null {
    this.#activity.acted()
    const inner = (element: Element | null): Element | null =>
      element?.shadowRoot?.activeElement ? inner(element.shadowRoot.activeElement) : element
    return inner(document.activeElement)
  }
}

const patterns = Object.entries(keywords).map(([name, pattern]) => `${name}: ${pattern}`)
const inspector = `(document[Symbol.for('plumbline')] ??= new (${PageInspector})({ ${patterns.join(', ')} }, ${activityExpression}))`

/** Recognises what a page asks for, once that is certain; see `PageInspector.settled`. */
export function recognise(page: Page, options: RecognitionOptions): Promise<PageSnapshot> {
  return page.evaluate(`${inspector}.settled(${JSON.stringify(options)})`)
}

/** A document in which `recognise` has put its inspector; a later document has none, so that nothing is done to it. */
type Inspected = Document & Readonly<Record<symbol, PageInspector>>

/** Notes that prompts are being answered, so that they are not taken for new ones. */
export function markAnswered(page: Page, prompts: readonly Prompt[]): Promise<void> {
  return page.evaluate((of) => (document as Inspected)[Symbol.for('plumbline')]?.markAnswered(of), prompts)
}

/** @returns name or id of the field; null where the page was left already */
export function fill(page: Page, control: Control, value: string): Promise<string | null> {
  const values = [control, value] as const
  return page.evaluate((of) => (document as Inspected)[Symbol.for('plumbline')]?.fill(...of) ?? null, values)
}

export function press(page: Page, control: Control): Promise<void> {
  return page.evaluate((of) => (document as Inspected)[Symbol.for('plumbline')]?.press(of), control)
}

/** Presses the return key in the field that was typed into last, on no later page. */
export async function pressEnter(page: Page, signal: AbortSignal): Promise<void> {
  const handle = await page.evaluateHandle(
    () => (document as Inspected)[Symbol.for('plumbline')]?.focused() ?? null,
  )
  const field = handle.asElement() as ElementHandle<HTMLElement> | null
  await field?.press('Enter', { signal, noWaitAfter: true })
}
