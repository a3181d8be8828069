import type { RecipeLocator } from '../browser/index.ts'
import { locatorsSource } from './element-locators.ts'

interface Surroundings {
  /** Whether the element is in a dialogue or bar that covers the page and has no fields. */
  readonly overlay: boolean
  /** Whether the element is in a dialogue about cookies. */
  readonly cookies: boolean
  /** Whether the page has visible text fields. */
  readonly fields: boolean
  /** First heading of the page; empty without headings. */
  readonly heading: string
  /** Number of visible elements. It shows whether the page changed, even if only styles changed. */
  readonly visible: number
}

/** An action of the user on a page, without typed text. */
export interface PageAction extends Surroundings {
  readonly did: 'type' | 'enter' | 'click' | 'toggle' | 'select'
  /** Number of the element within its document. */
  readonly element: number
  /** Locators of the element, the best one first. */
  readonly at: readonly RecipeLocator[]
  /** Number of the input event. The `TypedDigests` of the value have the same number. */
  readonly typing?: number
  /** Whether the field hides typed text, like a password field. */
  readonly hidden?: boolean
  readonly option?: string
}

/** Digests of the value of a field, in place of the value. */
export interface TypedDigests {
  readonly typing: number
  /** Salted SHA-256 in hexadecimal, of the value with and without its spaces. */
  readonly digests: readonly string[]
  /** Whether the value is six digits, like a one-time password. */
  readonly sixDigits: boolean
  readonly empty: boolean
}

export type PageReport =
  | { readonly action: PageAction }
  | { readonly typed: TypedDigests }
  /** An action that a recipe cannot contain, as a sentence. */
  | { readonly unsupported: string }
  /** What happened after a press: the document changed, or the browser found an invalid field and sent nothing. */
  | { readonly happened: 'change' | 'stop' }

interface ListenOptions {
  /** Name of the global function that receives reports. */
  readonly reportFunction: string
  /** Name of the global function that returns the current locators of an element, by its number. */
  readonly locatorsFunction: string
  /** Prepended to each value before hashing. */
  readonly salt: string
}

const fieldSelector =
  'textarea, input:not([type]), input[type=text], input[type=email], input[type=tel], input[type=number], input[type=password], input[type=search], input[type=url]'
const controlSelector =
  'button, a[href], summary, input[type=submit], input[type=button], input[type=image], input[type=reset], [role=button], [role=link], [role=checkbox], [role=radio], [role=switch], [role=option], [role=menuitem], [role=tab], [onclick]'

// The functions below run inside each document, before the scripts of the page and isolated from them. They can use
// only each other and the selectors.

/** Reports each input, click and choice of the user, without typed text. */
function listen(locatorsOf: (element: Element) => RecipeLocator[], options: ListenOptions): void {
  const global = globalThis as unknown as Record<string, (given: never) => unknown>
  const send = global[options.reportFunction] as ((text: string) => void) | undefined
  const report = (what: PageReport) => send?.(JSON.stringify(what))
  const elements: Element[] = []
  let typings = 0
  global[options.locatorsFunction] = (number: number) => {
    const element = elements[number]
    return element?.isConnected ? locatorsOf(element) : []
  }
  const reportAction = (did: PageAction['did'], element: Element, details: Partial<PageAction> = {}) => {
    const number = elements.includes(element) ? elements.indexOf(element) : elements.push(element) - 1
    const surroundings = surroundingsOf(element)
    report({ action: { did, element: number, at: locatorsOf(element), ...surroundings, ...details } })
    changes.disconnect()
    const all = { subtree: true, childList: true, attributes: true, characterData: true }
    if (did === 'click' || did === 'enter') for (const root of rootsIn(document)) changes.observe(root, all)
  }
  const changes = new MutationObserver(() => {
    changes.disconnect()
    report({ happened: 'change' })
  })
  const reportTyping = async (field: HTMLInputElement) => {
    const boxes = boxesOf(field)
    const typing = ++typings
    reportAction('type', boxes[0] ?? field, { typing, hidden: field.type === 'password' })
    report({ typed: { typing, ...(await digestsOf(boxes.map((box) => box.value).join(''), options.salt)) } })
  }

  // The browser found a field that is required and empty, or not valid, and does not submit the form.
  on('invalid', () => report({ happened: 'stop' }))
  on('input', (_, field) => {
    if (field instanceof HTMLSelectElement) {
      const option = field.selectedOptions.length === 1 ? field.selectedOptions[0]?.label.trim() : undefined
      if (option) reportAction('select', field, { option })
      else report({ unsupported: 'no option, or more than one, was chosen in a list' })
    } else if (field.matches(fieldSelector)) {
      void reportTyping(field as HTMLInputElement)
    } else if (field.matches('input[type=checkbox], input[type=radio]')) {
      // Many pages hide the box and style its label.
      const label = (field as HTMLInputElement).labels?.[0]
      reportAction('toggle', isVisible(field) || !label ? field : label)
    } else {
      report({ unsupported: 'a value was entered in a field that is not a text field, list or check box' })
    }
  })
  on('keydown', ({ key, isComposing, repeat }: KeyboardEvent, field) => {
    const isEnter = key === 'Enter' && !isComposing && !repeat
    if (isEnter && field instanceof HTMLInputElement && field.matches(fieldSelector))
      reportAction('enter', field)
  })
  on('click', (event: PointerEvent, target) => {
    const control = controlAround(target)
    // After Enter in a field, the browser itself clicks the submit button, without moving the focus.
    const isByReturnKey = event.detail === 0 && event.pointerType === '' && !control?.matches(':focus')
    if (control && !isByReturnKey) reportAction('click', control)
  })
}

/** Listens to events that the user causes. The listener runs before those of the page. */
function on<E extends Event>(name: string, react: (event: E, target: Element) => void): void {
  const listener = (event: Event) => {
    const target = event.composedPath()[0]
    if (event.isTrusted && target instanceof Element) react(event as E, target)
  }
  addEventListener(name, listener, true)
}

/** The control that a click presses; undefined for fields and labels, which are reported by their input event. */
function controlAround(target: Element): Element | undefined {
  const around = ancestorsOf(target)
  const control =
    around.find((each) => each.matches(controlSelector)) ??
    around.findLast((each) => getComputedStyle(each).cursor === 'pointer')
  return target.closest('select, label') || control?.matches(fieldSelector) ? undefined : control
}

/** The fields that make up one value: several for a code with one box per character. */
function boxesOf(field: HTMLInputElement): HTMLInputElement[] {
  if (field.maxLength !== 1) return [field]
  const all = [...(field.form ?? document).querySelectorAll<HTMLInputElement>(fieldSelector)]
  return all.filter((each) => each.maxLength === 1 && isVisible(each))
}

async function digestsOf(typed: string, salt: string): Promise<Omit<TypedDigests, 'typing'>> {
  const value = typed.trim()
  const withoutSpaces = value.replaceAll(/\s/g, '')
  const digest = async (text: string) => {
    const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(salt + text))
    return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  }
  const digests = await Promise.all([digest(value), digest(withoutSpaces)])
  return { digests, sixDigits: /^\d{6}$/.test(withoutSpaces), empty: value === '' }
}

function surroundingsOf(element: Element): Surroundings {
  const around = ancestorsOf(element)
  const covers = (each: Element) =>
    each.matches('dialog, [role=dialog], [role=alertdialog]') ||
    /^(?:fixed|sticky)$/.test(getComputedStyle(each).position)
  const isAboutCookies = (each: Element) =>
    /cookie|gdpr|onetrust|usercentrics/i.test(
      `${each.id} ${each.getAttribute('class')} ${each.getAttribute('aria-label')}`,
    )
  const headings = [...document.querySelectorAll('h1, h2, [role=heading]')].filter(isVisible)
  return {
    overlay: around.some((each) => covers(each) && !hasFields(each)),
    cookies: around.some((each) => isAboutCookies(each) && !hasFields(each)),
    fields: hasFields(document),
    heading: headings[0]?.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '',
    visible: rootsIn(document).flatMap((root) => [...root.querySelectorAll('*')].filter(isVisible)).length,
  }
}

/** A document or shadow tree, and all open shadow trees inside. */
function rootsIn(root: Document | ShadowRoot): (Document | ShadowRoot)[] {
  const inner = [...root.querySelectorAll('*')].flatMap(({ shadowRoot }) => shadowRoot ?? [])
  return [root, ...inner.flatMap(rootsIn)]
}

/** An element and its ancestors, across shadow roots. */
function ancestorsOf(element: Element): Element[] {
  const parent: Element | null | undefined =
    element.parentElement ?? (element.getRootNode() as ShadowRoot).host
  return parent ? [element, ...ancestorsOf(parent)] : [element]
}

function hasFields(root: ParentNode): boolean {
  return [...root.querySelectorAll(fieldSelector)].some(isVisible)
}

function isVisible(element: Element): boolean {
  return (
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    element.getClientRects().length > 0
  )
}

const helpers = [
  on,
  controlAround,
  boxesOf,
  digestsOf,
  surroundingsOf,
  ancestorsOf,
  hasFields,
  isVisible,
  rootsIn,
]
const selectors = `const fieldSelector = ${JSON.stringify(fieldSelector)}, controlSelector = ${JSON.stringify(controlSelector)}`

/** The listener as a script for each document of a page. */
export function listenerScript(options: ListenOptions): string {
  return `(() => {
    ${selectors}
    ${[...helpers, listen].join('\n')}
    listen(${locatorsSource}, ${JSON.stringify(options)})
  })()`
}
