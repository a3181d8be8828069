import type { ElementHandle, Page } from 'playwright'
import { type Control, type FoundControls, PageControls, type Prompt } from './login-page-controls.ts'
import { keywords } from './login-page-keywords.ts'
import { activityExpression, type PageActivity } from './page-activity.ts'
import { PageChoices, PageElements } from './page-elements.ts'

/** A page as Plumbline recognises it at one moment. */
export interface PageSnapshot extends Omit<FoundControls, 'controls' | 'choices'> {
  readonly controls: readonly Control[]
  /** Prompts that Plumbline has already answered in this document. */
  readonly answered: readonly Prompt[]
  /** Whether the page has a final prompt, or its scripts are at rest. Requests may still be pending. */
  readonly settled: boolean
  /** Milliseconds since the last change of the page; 0 while the page loads. */
  readonly unchangedMs: number
  /** Whether the page has changed since the user last acted, and its submit button is not disabled. */
  readonly reacted: boolean
  /** Whether the page has scripts or a refresh, so that it may change by itself. */
  readonly dynamic: boolean
}

/** When a page counts as settled. */
interface RecognitionOptions {
  /** Time after which the snapshot is taken even if the page has not settled, in milliseconds. */
  readonly withinMs: number
  /** Longest wait for a timer or refresh, in milliseconds. */
  readonly limitMs: number
  /** Time without change after which a prompt is final, even if a timer or animation is under way, in milliseconds. */
  readonly unchangedMs: number
  /** Time at rest after which a page with scripts and without a prompt is final, in milliseconds. */
  readonly quietMs: number
  /** Delay of a Refresh header, in milliseconds; 0 without it. */
  readonly refreshMs: number
  /** Prompts that were answered before. A page that still shows one of these prompts may be about to continue. */
  readonly answeredBefore: readonly Prompt[]
  /** Name of the test user; empty without a test user. */
  readonly userName: string
  /**
   * Whether a link to the login counts as a prompt on a page without another one. False for an error page, and after
   * Plumbline has cancelled the login.
   */
  readonly mayStart: boolean
}

export interface TickOptions {
  /** Scopes of the request, which may be in the names of boxes. */
  readonly scopes: readonly string[]
  /** Boxes that Plumbline left unchecked before the page was shown again. */
  readonly unchecked: readonly string[]
}

/** Check boxes of a page, such as `scope=email`. */
interface TickedBoxes {
  readonly ticked: readonly string[]
  readonly unchecked: readonly string[]
}

/** Recognises a document and acts on it. The class runs inside the page, so it uses nothing outside itself. */
class PageInspector {
  readonly #keywords: typeof keywords
  readonly #activity: PageActivity
  readonly #elements: PageElements
  readonly #pageControls: PageControls
  readonly #answered: Prompt[] = []
  #controls: FoundControls['controls'] = {}
  #choices: FoundControls['choices'] = {}
  #polling: ReturnType<typeof setInterval> | undefined

  constructor(
    words: typeof keywords,
    activity: PageActivity,
    elements: PageElements,
    pageControls: PageControls,
  ) {
    this.#keywords = words
    this.#activity = activity
    this.#elements = elements
    this.#pageControls = pageControls
  }

  /** Resolves when the page has a new prompt, is at rest, or `withinMs` has elapsed. */
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
      this.#polling = timer
    })
  }

  /** Ends polling, which would use processor time for as long as the page stays open. */
  endPolling(): void {
    clearInterval(this.#polling)
  }

  /**
   * @param isLate whether `withinMs` has elapsed, so that the page need not have settled
   * @returns undefined while the page must still settle
   */
  #snapshot(options: RecognitionOptions, isLate: boolean): PageSnapshot | undefined {
    const { readyState } = document
    const refreshMs = this.#refreshMs(options)
    const scripts = document.querySelector('script, [onload], [onclick], [onsubmit]')
    const dynamic = refreshMs > 0 || scripts !== null || this.#activity.setsTimers
    const unchangedMs = readyState === 'complete' ? this.#activity.unchangedMs : 0
    // Other pages may still change: wait until they have not changed for 150 ms.
    const cannotChange = !dynamic && this.#answered.length === 0
    const minUnchangedMs = cannotChange ? 0 : 150
    if (!isLate && (readyState === 'loading' || unchangedMs < minUnchangedMs)) return undefined
    const { choices, ...found } = this.#pageControls.find(options.userName, options.mayStart)
    this.#controls = found.controls
    this.#choices = choices
    const controls = Object.keys(found.controls) as Control[]
    const { prompt } = found
    const isNew =
      prompt !== 'none' && !this.#answered.includes(prompt) && !options.answeredBefore.includes(prompt)
    // The submit button may appear later than the fields.
    const hasControls = !['user', 'password', 'totp'].includes(prompt) || controls.includes('submit')
    const hasPrompt = isNew && hasControls
    const settled =
      cannotChange || (hasPrompt ? this.#isFinal(options, unchangedMs) : this.#rests(options, refreshMs))
    if (!settled && !isLate) return undefined
    const reacted = this.#activity.hasReacted && !this.#controls.submit?.matches(':disabled')
    return { ...found, controls, answered: this.#answered, settled, unchangedMs, reacted, dynamic }
  }

  /** Delay of a refresh of the page; 0 without a refresh, or if the delay exceeds `limitMs`. */
  #refreshMs({ limitMs, refreshMs }: RecognitionOptions): number {
    const refresh = document.querySelector<HTMLMetaElement>('meta[http-equiv=refresh i]')
    const metaMs = refresh ? Number.parseFloat(refresh.content) * 1000 || 1 : 0
    const delayMs = Math.max(metaMs, refreshMs)
    return delayMs > limitMs ? 0 : delayMs
  }

  /** Whether a prompt is final: the page has not changed for some time, or no timer or animation is under way. */
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
   * Ticks required boxes, boxes of requested scopes, boxes of terms while the button is disabled, and boxes that were
   * left unchecked before the page was shown again.
   */
  tick(button: 'accept' | 'submit', { scopes, unchecked }: TickOptions): TickedBoxes {
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
    const isDisabled = () => pressed?.matches(':disabled, [aria-disabled=true]') === true
    const rules: ((box: (typeof boxes)[number]) => boolean)[] = [
      ({ isRequired }) => isRequired,
      ({ isScope, hints }) => isScope && !unwanted.test(hints),
      ({ hints }) => isDisabled() && terms.test(hints) && !unwanted.test(hints),
      ({ key, hints }) => unchecked.includes(key) && !unwanted.test(hints),
    ]
    const ticked = boxes.filter((box) => {
      const isNeeded = rules.some((rule) => rule(box))
      if (isNeeded) box.box.click()
      return isNeeded
    })
    if (ticked.length > 0) this.#activity.acted()
    // The button may be disabled until the user has scrolled to the end of the terms.
    if (isDisabled()) this.#elements.readToEnd()
    return {
      ticked: ticked.map(({ key }) => key),
      unchecked: boxes.filter((box) => !ticked.includes(box)).map(({ key }) => key),
    }
  }

  /** Enters a value into a field, with the events of typing. @returns the name or id of the field; may be empty */
  fill(control: Control, value: string): string {
    const field = this.#controls[control]
    if (!field) return ''
    field.focus()
    // Frameworks replace the setter of the element, so use the setter of the prototype.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, value)
    field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertText' }))
    field.dispatchEvent(new KeyboardEvent('keyup', { bubbles: true, composed: true }))
    field.dispatchEvent(new Event('change', { bubbles: true }))
    return field.getAttribute('name') || field.id
  }

  /** Chooses the radio button that a control needs. @returns for example `answer=yes`; null if it needs none */
  choose(control: Control): string | null {
    const option = this.#choices[control]
    if (!option || this.#elements.isTicked(option)) return null
    this.#activity.acted()
    option.click()
    const { name, value, id } = option as HTMLInputElement
    return [name || id, value].filter(Boolean).join('=')
  }

  /** Presses a control, even if a banner covers the control. */
  press(control: Control): void {
    this.#activity.acted()
    this.#controls[control]?.click()
  }

  /** The focused element, which may be in a shadow tree. Call this before a key is pressed. */
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

/** A document with the inspector of `recognise`. A later document has no inspector, so that no action affects it. */
type Inspected = Document & Readonly<Record<symbol, PageInspector>>

/**
 * Recognises a page as soon as it has settled; see `PageInspector.settled`.
 * @param signal ends polling, because the page stays open after its journey
 */
export async function recognise(
  page: Page,
  options: RecognitionOptions,
  signal: AbortSignal,
): Promise<PageSnapshot> {
  const end = () => {
    // Fails if the page was left meanwhile, which also ends polling.
    page.evaluate(() => (document as Inspected)[Symbol.for('plumbline')]?.endPolling()).catch(() => undefined)
  }
  signal.addEventListener('abort', end)
  try {
    return await page.evaluate(`${inspector}.settled(${JSON.stringify(options)})`)
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** Calls a method of the inspector in the recognised document. @returns null if the page was left */
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

/** Presses Enter in the focused field of the recognised document. */
export async function pressEnter(page: Page, signal: AbortSignal): Promise<void> {
  const handle = await page.evaluateHandle(
    () => (document as Inspected)[Symbol.for('plumbline')]?.focused() ?? null,
  )
  const field = handle.asElement() as ElementHandle<HTMLElement> | null
  await field?.press('Enter', { signal, noWaitAfter: true })
}
