import type { RecipeLocator } from '../browser/index.ts'
import { locatorsSource } from './element-locators.ts'

/** Where the element that was used is. */
interface Surroundings {
  /** In a dialogue or bar over the page that holds no field itself. */
  readonly overlay: boolean
  /** In a dialogue about cookies. */
  readonly cookies: boolean
  /** The page has visible text fields. */
  readonly fields: boolean
  /** First heading of the page; empty where there is none. */
  readonly heading: string
}

/** What the user did on a page, without anything that was typed. */
export interface PageAction extends Surroundings {
  readonly did: 'type' | 'enter' | 'click' | 'toggle' | 'select'
  /** The same for the same element of a document. */
  readonly element: number
  /** Locators of the element, the best one first. */
  readonly at: readonly RecipeLocator[]
  /** Number of the typing, under which its digests follow. */
  readonly typing?: number
  /** Typed into a field that hides it. */
  readonly hidden?: boolean
  /** Label of the option. */
  readonly option?: string
}

/** SHA-256 of what a field holds, salted, in hexadecimal: with and without the spaces in it. */
export interface TypedDigests {
  readonly typing: number
  readonly digests: readonly string[]
  /** Six digits, as one-time passwords are. */
  readonly sixDigits: boolean
  readonly empty: boolean
}

/** What the page reports: an action, what was typed, or a sentence on what no recipe can hold. */
export type PageReport =
  | { readonly action: PageAction }
  | { readonly typed: TypedDigests }
  | { readonly unsupported: string }

interface ListenOptions {
  /** Name of the function that takes reports. */
  readonly binding: string
  /** Name of the function that locates a reported element again, by its number. */
  readonly relocate: string
  /** Precedes every value that is digested. */
  readonly salt: string
}

const fieldSelector =
  'textarea, input:not([type]), input[type=text], input[type=email], input[type=tel], input[type=number], input[type=password], input[type=search], input[type=url]'
const controlSelector =
  'button, a[href], summary, input[type=submit], input[type=button], input[type=image], input[type=reset], [role=button], [role=link], [role=checkbox], [role=radio], [role=switch], [role=option], [role=menuitem], [role=tab], [onclick]'

// These functions run inside each document, before its own scripts and out of their sight: they use nothing but each
// other and the selectors.

/** Reports what the user types, presses and chooses, without what was typed. */
function listen(locatorsOf: (element: Element) => RecipeLocator[], options: ListenOptions): void {
  const global = globalThis as unknown as Record<string, (given: never) => unknown>
  const send = global[options.binding] as ((text: string) => void) | undefined
  const report = (what: PageReport) => send?.(JSON.stringify(what))
  const elements: Element[] = []
  let typings = 0
  global[options.relocate] = (number: number) => {
    const element = elements[number]
    return element?.isConnected ? locatorsOf(element) : []
  }
  const act = (did: PageAction['did'], element: Element, more: Partial<PageAction> = {}) => {
    const number = elements.includes(element) ? elements.indexOf(element) : elements.push(element) - 1
    report({ action: { did, element: number, at: locatorsOf(element), ...surroundingsOf(element), ...more } })
  }
  const type = async (field: HTMLInputElement) => {
    const boxes = boxesOf(field)
    const typing = ++typings
    act('type', boxes[0] ?? field, { typing, hidden: field.type === 'password' })
    report({ typed: { typing, ...(await digestsOf(boxes.map((box) => box.value).join(''), options.salt)) } })
  }

  const on = <E extends Event>(name: string, react: (event: E, target: Element) => void) => {
    const heard = (event: Event) => {
      const target = event.composedPath()[0]
      if (event.isTrusted && target instanceof Element) react(event as E, target)
    }
    addEventListener(name, heard, true)
  }
  on('input', (_, field) => {
    if (field instanceof HTMLSelectElement) {
      const option = field.selectedOptions.length === 1 ? field.selectedOptions[0]?.label.trim() : undefined
      if (option) act('select', field, { option })
      else report({ unsupported: 'several options or none were chosen in a list' })
    } else if (field.matches(fieldSelector)) {
      void type(field as HTMLInputElement)
    } else if (field.matches('input[type=checkbox], input[type=radio]')) {
      // Many are drawn by their label, and are not visible themselves.
      const label = (field as HTMLInputElement).labels?.[0]
      act('toggle', isVisible(field) || !label ? field : label)
    } else {
      report({ unsupported: 'something was entered that is neither text, list nor check box' })
    }
  })
  on('keydown', ({ key, isComposing, repeat }: KeyboardEvent, field) => {
    const enters = key === 'Enter' && !isComposing && !repeat
    if (enters && field instanceof HTMLInputElement && field.matches(fieldSelector)) act('enter', field)
  })
  on('click', (event: PointerEvent, target) => {
    const control = controlAround(target)
    // The return key presses the button of a form without focusing it.
    const isByReturnKey = event.detail === 0 && event.pointerType === '' && !control?.matches(':focus')
    if (control && !isByReturnKey) act('click', control)
  })
}

/** What is pressed by a click. Fields are reported when they change, and so is what a label belongs to. */
function controlAround(target: Element): Element | undefined {
  const around = ancestorsOf(target)
  const control =
    around.find((each) => each.matches(controlSelector)) ??
    around.findLast((each) => getComputedStyle(each).cursor === 'pointer')
  return target.closest('select, label') || control?.matches(fieldSelector) ? undefined : control
}

/** A password of many boxes with a character each is one value, typed into the first of them. */
function boxesOf(field: HTMLInputElement): HTMLInputElement[] {
  if (field.maxLength !== 1) return [field]
  const all = [...(field.form ?? document).querySelectorAll<HTMLInputElement>(fieldSelector)]
  return all.filter((each) => each.maxLength === 1 && isVisible(each))
}

async function digestsOf(typed: string, salt: string): Promise<Omit<TypedDigests, 'typing'>> {
  const value = typed.trim()
  const solid = value.replaceAll(/\s/g, '')
  const digest = async (text: string) => {
    const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(salt + text))
    return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  }
  const digests = await Promise.all([digest(value), digest(solid)])
  return { digests, sixDigits: /^\d{6}$/.test(solid), empty: value === '' }
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
  }
}

/** The element and what it is in, out of shadow trees too. */
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

const helpers = [controlAround, boxesOf, digestsOf, surroundingsOf, ancestorsOf, hasFields, isVisible]
const selectors = `const fieldSelector = ${JSON.stringify(fieldSelector)}, controlSelector = ${JSON.stringify(controlSelector)}`

/** A script for each document of a page. */
export function listenerScript(options: ListenOptions): string {
  return `(() => {
    ${selectors}
    ${[...helpers, listen].join('\n')}
    listen(${locatorsSource}, ${JSON.stringify(options)})
  })()`
}
