import type { RecipeLocator } from '../recipe.ts'
import type { Deed, Report, Surroundings } from './report.ts'

export interface ListenOptions {
  /** Name of the function that takes reports. */
  readonly binding: string
  /** Name of the function that says anew how to point to an element that was told of, by its number. */
  readonly anew: string
  /** Stands before every value that is digested. */
  readonly salt: string
}

/**
 * Runs inside each document before its own scripts and out of their sight, so it can use nothing from outside itself.
 * Hears what the user types, presses and chooses, and hands it over without what was typed.
 */
export function listen(
  locatorsOf: (element: Element) => RecipeLocator[],
  { binding, anew, salt }: ListenOptions,
): void {
  const own = globalThis as unknown as Record<string, (given: never) => unknown>
  const send = own[binding] as ((text: string) => void) | undefined
  const tell = (report: Report) => send?.(JSON.stringify(report))
  const elements: Element[] = []
  let typings = 0
  const numberOf = (element: Element): number => {
    const known = elements.indexOf(element)
    return known < 0 ? elements.push(element) - 1 : known
  }
  own[anew] = (number: number) => {
    const element = elements[number]
    return element?.isConnected ? locatorsOf(element) : []
  }

  const typed =
    'textarea, input:not([type]), input[type=text], input[type=email], input[type=tel], input[type=number], input[type=password], input[type=search], input[type=url]'
  const pressed =
    'button, a[href], summary, input[type=submit], input[type=button], input[type=image], input[type=reset], [role=button], [role=link], [role=checkbox], [role=radio], [role=switch], [role=option], [role=menuitem], [role=tab], [onclick]'
  const isShown = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    element.getClientRects().length > 0
  const hasFields = (root: ParentNode) => [...root.querySelectorAll(typed)].some(isShown)
  /** The element and what it lies in, out of shadow trees too. */
  const line = (element: Element): Element[] => {
    const found: Element[] = []
    for (let each: Element | null | undefined = element; each; ) {
      found.push(each)
      each = each.parentElement ?? (each.getRootNode() as ShadowRoot).host
    }
    return found
  }

  const surroundings = (element: Element): Surroundings => {
    const around = line(element)
    const lies = (each: Element) =>
      each.matches('dialog, [role=dialog], [role=alertdialog]') ||
      /^(?:fixed|sticky)$/.test(getComputedStyle(each).position)
    const headings = [...document.querySelectorAll('h1, h2, [role=heading]')].filter(isShown)
    return {
      overlay: around.some((each) => lies(each) && !hasFields(each)),
      cookies: around.some(
        (each) =>
          /cookie|gdpr|onetrust|usercentrics/i.test(
            `${each.id} ${each.getAttribute('class')} ${each.getAttribute('aria-label')}`,
          ) && !hasFields(each),
      ),
      fields: hasFields(document),
      heading: headings[0]?.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '',
    }
  }
  const deed = (did: Deed['did'], element: Element, more: Partial<Deed> = {}) =>
    tell({
      deed: { did, element: numberOf(element), at: locatorsOf(element), ...surroundings(element), ...more },
    })

  /** A password of many boxes with a character each is one value, typed into the first of them. */
  const boxesOf = (field: HTMLInputElement): HTMLInputElement[] => {
    if (field.maxLength !== 1) return [field]
    const all = [...(field.form ?? document).querySelectorAll<HTMLInputElement>(typed)]
    return all.filter((each) => each.maxLength === 1 && isShown(each))
  }
  const digest = async (text: string) => {
    const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(salt + text))
    return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  }
  const type = async (field: HTMLInputElement) => {
    const boxes = boxesOf(field)
    const value = boxes
      .map((box) => box.value)
      .join('')
      .trim()
    const typing = ++typings
    deed('type', boxes[0] ?? field, { typing, hidden: field.type === 'password' })
    const solid = value.replaceAll(/\s/g, '')
    const digests = await Promise.all([digest(value), digest(solid)])
    tell({ typed: { typing, digests, sixDigits: /^\d{6}$/.test(solid), empty: value === '' } })
  }

  addEventListener(
    'input',
    (event) => {
      const field = event.composedPath()[0]
      if (!event.isTrusted || !(field instanceof Element)) return
      if (field instanceof HTMLSelectElement) {
        const option = field.selectedOptions.length === 1 ? field.selectedOptions[0]?.label.trim() : undefined
        if (option) deed('select', field, { option })
        else tell({ beyond: 'several options or none were chosen in a list' })
      } else if (field.matches(typed)) {
        void type(field as HTMLInputElement)
      } else if (field.matches('input[type=checkbox], input[type=radio]')) {
        // Many are drawn by their label, and are not to be seen themselves.
        const label = (field as HTMLInputElement).labels?.[0]
        deed('toggle', isShown(field) || !label ? field : label)
      } else {
        tell({ beyond: 'something was entered that is neither text, list nor check box' })
      }
    },
    true,
  )
  addEventListener(
    'keydown',
    (event) => {
      const field = event.composedPath()[0]
      const enters = event.isTrusted && event.key === 'Enter' && !event.isComposing && !event.repeat
      if (enters && field instanceof HTMLInputElement && field.matches(typed)) deed('enter', field)
    },
    true,
  )
  addEventListener(
    'click',
    (event) => {
      const target = event.composedPath()[0]
      if (!event.isTrusted || !(target instanceof Element)) return
      const around = line(target)
      const control =
        around.find((each) => each.matches(pressed)) ??
        around.findLast((each) => getComputedStyle(each).cursor === 'pointer')
      // Fields are told when they change, and so is what a label belongs to.
      if (!control || target.closest('select, label') || control.matches(typed)) return
      // The return key presses the button of a form without focusing it.
      const isByReturnKey = event.detail === 0 && event.pointerType === '' && !control.matches(':focus')
      if (!isByReturnKey) deed('click', control)
    },
    true,
  )
}
