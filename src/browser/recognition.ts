import type { ElementHandle, Page } from 'playwright'
import { keywords } from './keywords.ts'
import { activityExpression, type PageActivity } from './page-activity.ts'
import { type Control, type FoundControls, PageControls, type Prompt } from './page-controls.ts'
import { PageElements } from './page-elements.ts'

/** What was recognised on a page. */
export interface PageSnapshot extends Omit<FoundControls, 'controls'> {
  readonly controls: readonly Control[]
  /** Prompts that were answered in this very document already. */
  readonly answered: readonly Prompt[]
  /** The page asks for something, or nothing in it is under way: its requests may be. */
  readonly settled: boolean
  /** Since the page was loaded and last changed, in milliseconds; 0 while it loads. */
  readonly unchangedMs: number
  /** The page has changed since the user last did something, and can be used again. */
  readonly reacted: boolean
  /** It has scripts or a refresh, so it may become another page by itself. */
  readonly dynamic: boolean
}

/** When a page counts as settled. */
interface RecognitionOptions {
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
  /** Name of the test user; empty where there is none. */
  readonly userName: string
}

/** Which check boxes of a page are ticked. */
export interface TickOptions {
  /** Scopes of the request, by which boxes may be named. */
  readonly scopes: readonly string[]
  /** Boxes that were left when the page was sent before, and then shown again. */
  readonly left: readonly string[]
}

/** Check boxes of a page, by name and value. */
interface Ticked {
  readonly ticked: readonly string[]
  readonly left: readonly string[]
}

/** Runs inside the page, one for each document, so it uses nothing from outside itself. */
class PageInspector {
  readonly #keywords: typeof keywords
  readonly #activity: PageActivity
  readonly #elements: PageElements
  readonly #page: PageControls
  readonly #answered: Prompt[] = []
  #controls: FoundControls['controls'] = {}

  constructor(words: typeof keywords, activity: PageActivity, elements: PageElements, page: PageControls) {
    this.#keywords = words
    this.#activity = activity
    this.#elements = elements
    this.#page = page
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
    const found = this.#page.find(options.userName)
    this.#controls = found.controls
    const controls = Object.keys(found.controls) as Control[]
    const { prompt } = found
    const isNew = prompt !== 'none' && !this.#answered.includes(prompt) && !options.again.includes(prompt)
    // The button may come later than the fields.
    const isWhole = !['user', 'password', 'totp'].includes(prompt) || controls.includes('submit')
    const asks = isNew && isWhole
    const settled = isComplete || (asks ? this.#asks(options, unchangedMs) : this.#rests(options, refreshMs))
    if (!settled && !late) return undefined
    const reacted = this.#activity.hasReacted && !this.#controls.submit?.matches(':disabled')
    return { ...found, controls, answered: this.#answered, settled, unchangedMs, reacted, dynamic }
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

  markAnswered(prompts: readonly Prompt[]): void {
    this.#answered.push(...prompts)
    this.#activity.acted()
  }

  /**
   * Ticks the boxes without which the page would not go on: those that it requires, those of the scopes of the request,
   * those of terms that its button waits for, and those that were left when it was shown before.
   */
  tick(button: 'accept' | 'submit', { scopes, left }: TickOptions): Ticked {
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
      ({ key, hints }) => left.includes(key) && !unwanted.test(hints),
    ]
    const ticked = boxes.filter((box) => {
      const isNeeded = rules.some((rule) => rule(box))
      if (isNeeded) box.box.click()
      return isNeeded
    })
    if (ticked.length > 0) this.#activity.acted()
    return {
      ticked: ticked.map(({ key }) => key),
      left: boxes.filter((box) => !ticked.includes(box)).map(({ key }) => key),
    }
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
const inspector = `(document[Symbol.for('plumbline')] ??= ((words, elements) =>
  new (${PageInspector})(words, ${activityExpression}, elements, new (${PageControls})(words, elements)))(
    { ${patterns.join(', ')} }, new (${PageElements})()))`

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

/** @returns what is ticked then; null where the page was left already */
export function tick(page: Page, button: 'accept' | 'submit', options: TickOptions): Promise<Ticked | null> {
  const values = [button, options] as const
  return page.evaluate((of) => (document as Inspected)[Symbol.for('plumbline')]?.tick(...of) ?? null, values)
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
