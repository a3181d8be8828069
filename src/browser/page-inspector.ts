import type { ElementHandle, Page } from 'playwright'
import { type Control, type FoundControls, PageControls, type Prompt } from './login-page-controls.ts'
import { keywords } from './login-page-keywords.ts'
import { activityExpression, type PageActivity } from './page-activity.ts'
import { PageChoices, PageElements } from './page-elements.ts'

/** A page as Plumbline recognises it. */
export interface PageSnapshot extends Omit<FoundControls, 'controls' | 'choices'> {
  readonly controls: readonly Control[]
  /** Prompts that were already answered in this document. */
  readonly answered: readonly Prompt[]
  /** Whether the page has a prompt, or no script of it is under way; requests may be. */
  readonly settled: boolean
  /** Milliseconds since the page was loaded and last changed; 0 while it loads. */
  readonly unchangedMs: number
  /** Whether the page has changed since the user last acted, and can be used again. */
  readonly reacted: boolean
  /** Whether it has scripts or a refresh, so that it may change by itself. */
  readonly dynamic: boolean
}

/** When a page counts as settled. */
interface RecognitionOptions {
  /** Time after which the snapshot is taken, settled or not, in milliseconds. */
  readonly withinMs: number
  /** Longest wait for timers and refreshes, in milliseconds. */
  readonly limitMs: number
  /** Time without change after which a prompt is final, whatever is under way, in milliseconds. */
  readonly unchangedMs: number
  /** Rest after which a page with scripts and no prompt is final, in milliseconds. */
  readonly quietMs: number
  /** Delay of a Refresh header, in milliseconds; 0 without it. */
  readonly refreshMs: number
  /** Prompts that were answered before: a page with scripts that still shows one may be about to continue. */
  readonly again: readonly Prompt[]
  /** Name of the test user; empty without one. */
  readonly userName: string
  /** Whether a page without a prompt may lead to the login: not an error page, nor one after a cancelled login. */
  readonly mayStart: boolean
}

/** Which check boxes of a page to tick. */
export interface TickOptions {
  /** Scopes of the request, by which boxes may be named. */
  readonly scopes: readonly string[]
  /** Boxes that were left unchecked when the page was submitted before; the page is now shown again. */
  readonly unchecked: readonly string[]
}

/** Check boxes of a page, by name and value. */
interface Ticked {
  readonly ticked: readonly string[]
  readonly unchecked: readonly string[]
}

/** Recognises a document and acts on it. Runs inside the page, so it uses nothing from outside itself. */
class PageInspector {
  readonly #keywords: typeof keywords
  readonly #activity: PageActivity
  readonly #elements: PageElements
  readonly #page: PageControls
  readonly #answered: Prompt[] = []
  #controls: FoundControls['controls'] = {}
  #choices: FoundControls['choices'] = {}
  #search: ReturnType<typeof setInterval> | undefined

  constructor(words: typeof keywords, activity: PageActivity, elements: PageElements, page: PageControls) {
    this.#keywords = words
    this.#activity = activity
    this.#elements = elements
    this.#page = page
  }

  /** Resolves when the page has a new prompt or is at rest. */
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
      this.#search = timer
    })
  }

  /** Ends a search whose result is not needed: it would use the processor for as long as the page stays. */
  endSearch(): void {
    clearInterval(this.#search)
  }

  #snapshot(options: RecognitionOptions, late: boolean): PageSnapshot | undefined {
    const { readyState } = document
    const refreshMs = this.#refreshMs(options)
    const scripts = document.querySelector('script, [onload], [onclick], [onsubmit]')
    const dynamic = refreshMs > 0 || scripts !== null || this.#activity.setsTimers
    const unchangedMs = readyState === 'complete' ? this.#activity.unchangedMs : 0
    // A page without scripts is complete as soon as it is loaded. Other pages may still change.
    const isComplete = !dynamic && this.#answered.length === 0
    const leastMs = isComplete ? 0 : 150
    if (!late && (readyState === 'loading' || unchangedMs < leastMs)) return undefined
    const { choices, ...found } = this.#page.find(options.userName, options.mayStart)
    this.#controls = found.controls
    this.#choices = choices
    const controls = Object.keys(found.controls) as Control[]
    const { prompt } = found
    const isNew = prompt !== 'none' && !this.#answered.includes(prompt) && !options.again.includes(prompt)
    // The button may appear later than the fields.
    const isWhole = !['user', 'password', 'totp'].includes(prompt) || controls.includes('submit')
    const asks = isNew && isWhole
    const settled =
      isComplete || (asks ? this.#isFinal(options, unchangedMs) : this.#rests(options, refreshMs))
    if (!settled && !late) return undefined
    const reacted = this.#activity.hasReacted && !this.#controls.submit?.matches(':disabled')
    return { ...found, controls, answered: this.#answered, settled, unchangedMs, reacted, dynamic }
  }

  /** Delay of a refresh of the page; 0 without one, or if it is too long. */
  #refreshMs({ limitMs, refreshMs }: RecognitionOptions): number {
    const refresh = document.querySelector<HTMLMetaElement>('meta[http-equiv=refresh i]')
    const metaMs = refresh ? Number.parseFloat(refresh.content) * 1000 || 1 : 0
    const ms = Math.max(metaMs, refreshMs)
    return ms > limitMs ? 0 : ms
  }

  /** Whether a prompt is final: nothing is under way, or the page has not changed for some time. */
  #isFinal(options: RecognitionOptions, unchangedMs: number): boolean {
    return unchangedMs >= options.unchangedMs || !this.#activity.isUnderWay(options.unchangedMs)
  }

  #rests({ limitMs, quietMs }: RecognitionOptions, refreshMs: number): boolean {
    const rests = document.readyState === 'complete' && this.#activity.restMs >= quietMs + refreshMs
    return rests && !this.#activity.isUnderWay(limitMs)
  }

  markAnswered(prompts: readonly Prompt[]): void {
    this.#answered.push(...prompts)
    this.#activity.acted()
  }

  /**
   * Ticks the boxes that the page needs to continue: required boxes, boxes of the requested scopes, boxes of terms that
   * enable its button, and boxes that were left unchecked when the page was shown before.
   */
  tick(button: 'accept' | 'submit', { scopes, unchecked }: TickOptions): Ticked {
    const { terms, unwanted } = this.#keywords
    const pressed = this.#controls[button]
    const form = pressed?.closest('form')
    const boxes = this.#elements
      .boxes()
      .filter((box) => !this.#elements.isTicked(box) && (!form || form.contains(box) || !box.closest('form')))
      .map((box) => {
        const { name, value, id, required } = box as HTMLInputElement
        const key = [name || id, value].filter(Boolean).join('=')
        const words = [name, value, id].join(' ').split(/[^\w.-]+/)
        return {
          ...{ box, key, hints: this.#elements.hintsOf(box) },
          isRequired: required || box.getAttribute('aria-required') === 'true',
          isScope: words.some((word) => scopes.includes(word)),
        }
      })
    const waits = () => pressed?.matches(':disabled, [aria-disabled=true]') === true
    const rules: ((box: (typeof boxes)[number]) => boolean)[] = [
      ({ isRequired }) => isRequired,
      ({ isScope, hints }) => isScope && !unwanted.test(hints),
      ({ hints }) => waits() && terms.test(hints) && !unwanted.test(hints),
      ({ key, hints }) => unchecked.includes(key) && !unwanted.test(hints),
    ]
    const ticked = boxes.filter((box) => {
      const isNeeded = rules.some((rule) => rule(box))
      if (isNeeded) box.box.click()
      return isNeeded
    })
    if (ticked.length > 0) this.#activity.acted()
    // The button of terms may wait until they have been read.
    if (waits()) this.#elements.readToEnd()
    return {
      ticked: ticked.map(({ key }) => key),
      unchecked: boxes.filter((box) => !ticked.includes(box)).map(({ key }) => key),
    }
  }

  /** Gives a field a value, with the events of typing. */
  fill(control: Control, value: string): string {
    const field = this.#controls[control]
    if (!field) return ''
    field.focus()
    // Use the setter of the prototype, because frameworks replace the setter of the element.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, value)
    field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertText' }))
    field.dispatchEvent(new KeyboardEvent('keyup', { bubbles: true, composed: true }))
    field.dispatchEvent(new Event('change', { bubbles: true }))
    return field.getAttribute('name') || field.id
  }

  /** Chooses the radio button that a button sends. @returns its name and value; null if there is none to choose */
  choose(control: Control): string | null {
    const option = this.#choices[control]
    if (!option || this.#elements.isTicked(option)) return null
    this.#activity.acted()
    option.click()
    const { name, value, id } = option as HTMLInputElement
    return [name || id, value].filter(Boolean).join('=')
  }

  /** Presses a button, even if a banner covers it. */
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
const inspector = `(document[Symbol.for('plumbline')] ??= ((words, elements) =>
  new (${PageInspector})(words, ${activityExpression}, elements, new (${PageControls})(words, elements, new (${PageChoices})(words, elements))))(
    { ${patterns.join(', ')} }, new (${PageElements})()))`

/** A document with the inspector of `recognise`. A later document has none, so that no action reaches it. */
type Inspected = Document & Readonly<Record<symbol, PageInspector>>

/**
 * Recognises a page as soon as it has settled; see `PageInspector.settled`.
 * @param signal ends the search: a page stays open after its journey
 */
export async function recognise(
  page: Page,
  options: RecognitionOptions,
  signal: AbortSignal,
): Promise<PageSnapshot> {
  const end = () => {
    // A page that was left meanwhile searches no more.
    page.evaluate(() => (document as Inspected)[Symbol.for('plumbline')]?.endSearch()).catch(() => undefined)
  }
  signal.addEventListener('abort', end)
  try {
    return await page.evaluate(`${inspector}.settled(${JSON.stringify(options)})`)
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** Calls a method of the inspector of a recognised document. @returns null if the page was left */
export function inspect<Method extends 'markAnswered' | 'tick' | 'fill' | 'choose' | 'press'>(
  page: Page,
  method: Method,
  ...values: Parameters<PageInspector[Method]>
): Promise<ReturnType<PageInspector[Method]> | null> {
  const call = ([name, given]: readonly [string, unknown[]]): unknown => {
    const inspector = (document as Inspected)[Symbol.for('plumbline')]
    return inspector ? Reflect.apply(Reflect.get(inspector, name), inspector, given) : null
  }
  return page.evaluate(call, [method, values] as const) as Promise<ReturnType<PageInspector[Method]> | null>
}

/** Presses the return key in the focused field of the recognised document. */
export async function pressEnter(page: Page, signal: AbortSignal): Promise<void> {
  const handle = await page.evaluateHandle(
    () => (document as Inspected)[Symbol.for('plumbline')]?.focused() ?? null,
  )
  const field = handle.asElement() as ElementHandle<HTMLElement> | null
  await field?.press('Enter', { signal, noWaitAfter: true })
}
