import type { Words } from './words.ts'

/** What a page asks of its user. */
export type Stage = 'user' | 'password' | 'totp' | 'consent'

/** Fields and controls of a page that `fillIn` and `press` can reach. */
export type Part = 'user' | 'password' | 'totp' | 'submit' | 'accept' | 'cancel'

/** What can be seen on a page. */
export interface Sight {
  readonly stage: Stage | 'none'
  readonly parts: readonly Part[]
  /** Stages that were answered in this very document already. */
  readonly answered: readonly Stage[]
  /** The page has been still for long enough to believe what is seen. */
  readonly quiet: boolean
  /** Since when the whole page is loaded and has not changed, in milliseconds; 0 while it loads. */
  readonly stillMs: number
  /** Visible fields for text, known or not, and frames that may hold some. */
  readonly fields: number
  /** Visible buttons, known or not. */
  readonly buttons: number
  /** It has scripts or a refresh, so it may yet become another page by itself. */
  readonly alive: boolean
}

export interface SurveyOptions {
  readonly words: Words
  /** Return after this long at the latest, in milliseconds. */
  readonly withinMs: number
  /** A page with scripts that has not changed for so long will not change any more, in milliseconds. */
  readonly quietMs: number
}

/** What `survey` leaves on the document for itself and the other functions that run there. */
interface Notes {
  parts: Partial<Record<Part, HTMLElement>>
  answered: Stage[]
  /** When the document last changed, on the clock of `performance`. */
  changed: number
}

/**
 * Runs inside the page, so it can use nothing from outside itself. Waits until the page asks for something that
 * was not answered yet, or until it has come to rest, and tells what it sees.
 */
export function survey({ words, withinMs, quietMs }: SurveyOptions): Promise<Sight> {
  const key = Symbol.for('plumbline')
  const notable = document as unknown as Record<symbol, Notes | undefined>
  const notes: Notes = notable[key] ?? { parts: {}, answered: [], changed: performance.now() }
  if (!notable[key]) {
    notable[key] = notes
    new MutationObserver(() => {
      notes.changed = performance.now()
    }).observe(document, { subtree: true, childList: true, attributes: true })
  }

  const all = (selector: string): HTMLElement[] => {
    const found: HTMLElement[] = []
    const walk = (root: Document | ShadowRoot) => {
      for (const element of root.querySelectorAll<HTMLElement>('*')) {
        if (element.matches(selector)) found.push(element)
        if (element.shadowRoot) walk(element.shadowRoot)
      }
    }
    walk(document)
    return found.filter(
      (element) =>
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
        element.getClientRects().length > 0 &&
        !element.matches('[aria-hidden="true"] *, [inert] *'),
    )
  }

  /** Everything a field is called by. */
  const hints = (field: HTMLInputElement): string =>
    [
      field.name,
      field.id,
      field.placeholder,
      field.getAttribute('aria-label'),
      ...[...(field.labels ?? [])].map((label) => label.innerText),
      ...(field.getAttribute('aria-labelledby') ?? '')
        .split(/\s+/)
        .map((id) => (id ? document.getElementById(id)?.innerText : '')),
    ].join(' ')

  const textOf = (control: HTMLElement): string =>
    (
      control.getAttribute('aria-label') ||
      control.innerText ||
      (control as HTMLInputElement).value ||
      control.getAttribute('alt') ||
      control.title ||
      ''
    ).trim()

  /** The first of several fields, where they are all of one form. */
  const only = (found: HTMLInputElement[]): HTMLInputElement | undefined =>
    found.every(({ form }) => form === found[0]?.form) ? found[0] : undefined

  const look = (): Omit<Sight, 'quiet' | 'stillMs' | 'alive'> => {
    const fields = all(
      'input:not([type]), input[type=text], input[type=email], input[type=tel], input[type=number], input[type=password]',
    ).filter(
      (field): field is HTMLInputElement =>
        field instanceof HTMLInputElement && !field.readOnly && !field.disabled,
    )
    const isTotp = (field: HTMLInputElement) =>
      field.autocomplete === 'one-time-code' ||
      (!/username|email|password/.test(field.autocomplete) && words.totp.test(hints(field))) ||
      (fields.length === 1 &&
        field.type !== 'password' &&
        field.maxLength >= 4 &&
        field.maxLength <= 10 &&
        (field.inputMode === 'numeric' || field.type !== 'text' || /\\d|0-9/.test(field.pattern)))
    const totp = fields.find(isTotp)
    const passwords = fields.filter(
      (field) => field.type === 'password' && field !== totp && field.autocomplete !== 'new-password',
    )
    // A page may offer registration beside login: the password goes where a known word signs in, or nowhere.
    const forms = new Set(passwords.map((field) => field.form))
    const signsIn = (field: HTMLInputElement) =>
      all('button, input[type=submit], input[type=image], [role=button]').some(
        (button) =>
          ((button as HTMLButtonElement).form === field.form || field.form?.contains(button)) &&
          words.submit.test(textOf(button)),
      )
    const password =
      passwords.find((field) => field.autocomplete === 'current-password') ??
      (forms.size > 1 ? only(passwords.filter(signsIn)) : passwords[0])
    const others = fields.filter((field) => field.type !== 'password' && field !== totp)
    const inDoubt = forms.size > 1 && !password
    const beside = others.filter((field) => !inDoubt && (!password || field.form === password.form))
    const user =
      beside.find((field) => /username|email/.test(field.autocomplete)) ??
      beside.find((field) => field.type === 'email') ??
      beside.find((field) => words.user.test(hints(field))) ??
      (password
        ? beside.findLast(
            (field) => field.compareDocumentPosition(password) & Node.DOCUMENT_POSITION_FOLLOWING,
          )
        : undefined)

    const controls = all(
      'button, input[type=submit], input[type=button], input[type=image], a, [role=button], [role=link]',
    ).filter((control) => !control.closest('[id*=cookie i], [class*=cookie i], [aria-label*=cookie i]'))
    const buttons = controls.filter(
      (control) => !control.matches('a, [role=link]') || control.role === 'button',
    )
    const cancel =
      controls.find((control) => words.cancel.test(textOf(control))) ??
      controls.find((control) =>
        /^(?:cancel|abort|deny|decline|reject)/i.test((control as HTMLInputElement).value),
      )
    const last = password ?? totp ?? user
    const form = last?.form
    const weigh = (button: HTMLElement): number => {
      const text = textOf(button)
      if (button === cancel || words.elsewhere.test(text)) return 0
      const submits =
        (button as HTMLButtonElement).type === 'submit' || (button as HTMLInputElement).type === 'image'
      const inForm = form ? form.contains(button) || (button as HTMLButtonElement).form === form : true
      return (
        (words.submit.test(text) && !words.without.test(text) ? 4 : 0) +
        (submits && inForm ? 3 : 0) +
        (inForm ? 0.5 : -2)
      )
    }
    const best = [...buttons].sort((a, b) => weigh(b) - weigh(a))[0]
    const submit = last && best && weigh(best) >= 2 ? best : undefined
    const accepts = (control: HTMLElement) =>
      words.accept.test(textOf(control)) && !words.without.test(textOf(control))
    const accept = buttons.find(accepts) ?? controls.find(accepts)

    const stage = password ? 'password' : totp ? 'totp' : user ? 'user' : accept ? 'consent' : 'none'
    const parts = { user, password, totp, submit, accept, cancel }
    notes.parts = Object.fromEntries(Object.entries(parts).filter(([, element]) => element))
    return {
      stage,
      parts: Object.keys(notes.parts) as Part[],
      answered: notes.answered,
      buttons: buttons.length,
      fields:
        fields.length +
        all('iframe').filter(({ clientHeight, clientWidth }) => clientHeight * clientWidth > 5000).length,
    }
  }

  // A page without scripts is what it is as soon as it is read. Others may still be building themselves.
  const refresh = document.querySelector<HTMLMetaElement>('meta[http-equiv=refresh i]')
  const refreshMs = refresh ? Number.parseFloat(refresh.content) * 1000 || 0 : 0
  const alive = () =>
    refresh !== null || document.querySelector('script, [onload], [onclick], [onsubmit]') !== null
  const settleMs = ({ stage, parts }: Pick<Sight, 'stage' | 'parts'>): number => {
    if (!alive() && notes.answered.length === 0) return 0
    if (stage === 'none' || notes.answered.includes(stage)) return quietMs + refreshMs
    // The button may come later than the fields.
    return stage === 'consent' || parts.includes('submit') ? 150 : quietMs
  }
  return new Promise((resolve) => {
    const began = performance.now()
    const check = (): boolean => {
      const now = performance.now()
      const late = now - began >= withinMs
      if (document.readyState === 'loading' && !late) return false
      const sight = look()
      const stillMs = document.readyState === 'complete' ? now - notes.changed : 0
      const needed = settleMs(sight)
      const quiet = needed === 0 || stillMs >= needed
      if (!quiet && !late) return false
      resolve({ ...sight, quiet, stillMs, alive: alive() })
      return true
    }
    if (check()) return
    const timer = setInterval(() => check() && clearInterval(timer), 20)
  })
}

/**
 * Runs inside the page: gives a field a value as typing would, but in one go. The setter of the prototype is used
 * because frameworks replace the one of the element.
 * @returns name or id of the field; empty where it has neither
 */
export function fillIn({ part, value }: { readonly part: Part; readonly value: string }): string {
  const notes = (document as unknown as Record<symbol, Notes | undefined>)[Symbol.for('plumbline')]
  const field = notes?.parts[part]
  if (!field) return ''
  field.focus()
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, value)
  field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertText' }))
  field.dispatchEvent(new KeyboardEvent('keyup', { bubbles: true, composed: true }))
  field.dispatchEvent(new Event('change', { bubbles: true }))
  return field.getAttribute('name') || field.id
}

/** Runs inside the page: presses a control, also one that a banner lies over. */
export function press(part: Part): void {
  const notes = (document as unknown as Record<symbol, Notes | undefined>)[Symbol.for('plumbline')]
  notes?.parts[part]?.click()
}

/** Runs inside the page: notes that stages are being answered, so that they are not taken for new ones. */
export function noteAnswered(stages: readonly Stage[]): void {
  const notes = (document as unknown as Record<symbol, Notes | undefined>)[Symbol.for('plumbline')]
  notes?.answered.push(...stages)
}
