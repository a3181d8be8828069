import type { Page } from 'playwright'

/** What a page asks of its user. */
export type Prompt = 'user' | 'password' | 'totp' | 'consent'

/** Fields and buttons of a page that `fill` and `press` can reach. */
export type Control = 'user' | 'password' | 'totp' | 'submit' | 'accept' | 'cancel'

/** What was recognised on a page. */
export interface PageSnapshot {
  readonly prompt: Prompt | 'none'
  readonly controls: readonly Control[]
  /** Prompts that were answered in this very document already. */
  readonly answered: readonly Prompt[]
  /** The page has not changed for long enough to rely on what was recognised. */
  readonly settled: boolean
  /** Since the page was loaded and last changed, in milliseconds; 0 while it loads. */
  readonly unchangedMs: number
  /** Visible text fields, recognised or not, and frames that may hold some. */
  readonly fields: number
  /** Visible buttons, recognised or not. */
  readonly buttons: number
  /** It has scripts or a refresh, so it may become another page by itself. */
  readonly dynamic: boolean
}

/**
 * What fields and buttons of login pages are recognised by, in English, German, French, Spanish, Italian, Portuguese,
 * Dutch, the Scandinavian languages and Finnish: matched without case against names, ids, labels and texts.
 */
const keywords = {
  /** Names and labels of the field for the user. */
  user: /user|login|e-?mail|account|identifi|member|benutzer|nutzer|kennung|anmelde|konto|kunden|utilisateur|usuario|usuário|utente|correo|courriel|gebruiker|användar|bruker|bruger|käyttäjä|tunnus|sähköposti/iu,
  /** Names and labels of the field for a one-time password. */
  totp: /otp|one[- _]?time|two[- _]?factor|2fa|mfa|passcode|token|authenticator|verification|security code|sicherheitscode|einmal|bestätigungscode|code à usage|vérification|verificación|verifica|verificação|verificatie|engångs|engangs|kertakäyttö|vahvistuskoodi/iu,
  /** Buttons that send a login form. */
  submit:
    /^(?:sign[ -]?(?:in|on)|log[ -]?(?:in|on)|continue|next|submit|verify|confirm|go|ok|enter|anmelden|einloggen|login|weiter|absenden|bestätigen|prüfen|se connecter|connexion|continuer|suivant|valider|iniciar|entrar|acceder|siguiente|continuar|verificar|accedi|avanti|continua|verifica|inloggen|aanmelden|volgende|doorgaan|logga in|nästa|fortsätt|log ind|logg inn|neste|næste|fortsæt|fortsett|kirjaudu|jatka|seuraava|vahvista)(?!\p{L})/iu,
  /** Buttons that sign in through another provider. */
  elsewhere: /\b(?:with|using|via|mit|über|avec|con|com|met|med)\b/iu,
  /** Buttons that give consent. */
  accept:
    /^(?:yes|allow|accept|authori[sz]e|approve|agree|i agree|grant|consent|continue|confirm|ja|zulassen|erlauben|akzeptieren|annehmen|zustimmen|einwilligen|einverstanden|genehmigen|bestätigen|freigeben|weiter|fortfahren|oui|autoriser|accepter|j’accepte|j'accepte|approuver|continuer|sí|permitir|aceptar|autorizar|aprobar|continuar|aceitar|sim|consenti|accetta|autorizza|approva|continua|toestaan|accepteren|akkoord|doorgaan|tillåt|godkänn|tillat|tillad|godta|godkend|fortsätt|fortsett|fortsæt|salli|hyväksy|kyllä|jatka)(?!\p{L})/iu,
  /** Buttons and links that cancel a login or refuse consent. */
  cancel:
    /^(?:cancel|abort|no|deny|decline|refuse|reject|disallow|don['’]t allow|do not allow|back to (?:the )?app|return to (?:the )?app|abbrechen|abbruch|ablehnen|verweigern|nicht zulassen|nein|annuler|refuser|rejeter|non|cancelar|denegar|rechazar|recusar|negar|não|annulla|rifiuta|nega|annuleren|weigeren|afwijzen|nee|avbryt|avbryd|neka|avvis|afvis|nej|nei|peruuta|keskeytä|estä|hylkää|ei)(?!\p{L})/iu,
  /** What turns a button that continues into one that gives nothing: "continue without sharing". */
  without: /\b(?:without|ohne|sans|sin|senza|sem|zonder|utan|uden|uten|ilman|not now|later|später)\b/iu,
}

/** Runs inside the page, one for each document, so it uses nothing from outside itself. */
class PageInspector {
  readonly #keywords: typeof keywords
  readonly #answered: Prompt[] = []
  #controls: Partial<Record<Control, HTMLElement>> = {}
  /** When the document last changed, on the clock of `performance`. */
  #changedAt = performance.now()

  constructor(words: typeof keywords) {
    this.#keywords = words
    const observer = new MutationObserver(() => {
      this.#changedAt = performance.now()
    })
    observer.observe(document, { subtree: true, childList: true, attributes: true })
  }

  /**
   * Resolves when the page asks for something that was not answered yet, or has come to rest.
   * @param withinMs after which it resolves in any case
   * @param quietMs after which a page with scripts that has not changed will not change any more
   */
  settled(withinMs: number, quietMs: number): Promise<PageSnapshot> {
    const began = performance.now()
    return new Promise((resolve) => {
      const check = (): boolean => {
        const snapshot = this.#snapshot(quietMs, performance.now() - began >= withinMs)
        if (snapshot) resolve(snapshot)
        return snapshot !== undefined
      }
      if (check()) return
      const timer = setInterval(() => check() && clearInterval(timer), 20)
    })
  }

  #snapshot(quietMs: number, late: boolean): PageSnapshot | undefined {
    const { readyState } = document
    const refresh = document.querySelector<HTMLMetaElement>('meta[http-equiv=refresh i]')
    const scripts = document.querySelector('script, [onload], [onclick], [onsubmit]')
    const dynamic = refresh !== null || scripts !== null
    const unchangedMs = readyState === 'complete' ? performance.now() - this.#changedAt : 0
    // A page without scripts is complete as soon as it is read. Others may still be building themselves.
    const isComplete = !dynamic && this.#answered.length === 0
    const leastMs = isComplete ? 0 : 150
    if (!late && (readyState === 'loading' || unchangedMs < leastMs)) return undefined
    const found = this.#inspect()
    const { prompt, controls } = found
    const refreshMs = Number.parseFloat(refresh?.content ?? '') * 1000 || 0
    const asks = prompt !== 'none' && !this.#answered.includes(prompt)
    // The button may come later than the fields.
    const hasButton = prompt === 'consent' || controls.includes('submit')
    const neededMs = !asks ? quietMs + refreshMs : hasButton ? leastMs : quietMs
    const settled = isComplete || unchangedMs >= neededMs
    return settled || late ? { ...found, answered: this.#answered, settled, unchangedMs, dynamic } : undefined
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
    this.#controls[control]?.click()
  }
}

const patterns = Object.entries(keywords).map(([name, pattern]) => `${name}: ${pattern}`)
const inspector = `(document[Symbol.for('plumbline')] ??= new (${PageInspector})({ ${patterns.join(', ')} }))`

/** Recognises what a page asks for, once that is certain; see `PageInspector.settled`. */
export function recognise(page: Page, withinMs: number, quietMs: number): Promise<PageSnapshot> {
  return page.evaluate(`${inspector}.settled(${withinMs}, ${quietMs})`)
}

/** A document in which `recognise` has put its inspector. */
type Inspected = Document & Readonly<Record<symbol, PageInspector>>

/** Notes that prompts are being answered, so that they are not taken for new ones. */
export function markAnswered(page: Page, prompts: readonly Prompt[]): Promise<void> {
  return page.evaluate((of) => (document as Inspected)[Symbol.for('plumbline')]?.markAnswered(of), prompts)
}

/** @returns name or id of the field */
export function fill(page: Page, control: Control, value: string): Promise<string | undefined> {
  const values = [control, value] as const
  return page.evaluate((of) => (document as Inspected)[Symbol.for('plumbline')]?.fill(...of), values)
}

export function press(page: Page, control: Control): Promise<void> {
  return page.evaluate((of) => (document as Inspected)[Symbol.for('plumbline')]?.press(of), control)
}
