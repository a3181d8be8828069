import type { RecipeLocator } from '../browser/index.ts'

// The functions of this file run inside the page, so they can use only each other.

/**
 * Locators that match only this element of the page: the most durable one first, the position of the element last. They
 * contain no text that may belong to a single login, such as long numbers or e-mail addresses.
 */
function locatorsOf(element: Element): RecipeLocator[] {
  const all = elementsIn(document)
  const isOnly = (matches: (each: Element) => boolean) => {
    const matching = all.filter(matches)
    return matching.length === 1 && matching[0] === element
  }
  const unique = (at: RecipeLocator, text: string, matches: (each: Element) => boolean) =>
    isDurable(text) && isOnly(matches) ? [at] : []
  const byCss = (css: string): RecipeLocator[] => (isOnly((each) => each.matches(css)) ? [{ css }] : [])
  const attribute = (name: string) => element.getAttribute(name) ?? ''
  const byAttribute = (name: string, prefix = element.localName): RecipeLocator[] =>
    isDurable(attribute(name)) ? byCss(`${prefix}[${name}=${cssString(attribute(name))}]`) : []

  const byLabel = () =>
    labelsOf(element).flatMap((label) =>
      unique({ label, exact: true }, label, (each) => labelsOf(each).includes(label)),
    )
  const byRole = () => {
    const role = roleOf(element)
    const name = nameOf(element)
    const matches = (each: Element) => isExposed(each) && roleOf(each) === role && nameOf(each) === name
    return role === undefined ? [] : unique({ role, name, exact: true }, name, matches)
  }
  const byTestId = () => {
    const testId = attribute('data-testid')
    return unique({ testId }, testId, (each) => each.getAttribute('data-testid') === testId)
  }
  const byId = () => (isDurableId(element.id) ? byCss(`#${CSS.escape(element.id)}`) : [])
  const byName = () => {
    const isTyped = element.matches('input:not([type=submit], [type=button], [type=checkbox], [type=radio])')
    const selector = `[name=${cssString(attribute('name'))}]`
    return isDurable(attribute('name'))
      ? [...byCss(selector), ...(isTyped ? [] : byAttribute('value', selector))]
      : []
  }
  const byPlaceholder = () => {
    const placeholder = collapsed(attribute('placeholder'))
    const matches = (each: Element) => collapsed(each.getAttribute('placeholder')) === placeholder
    return unique({ placeholder, exact: true }, placeholder, matches)
  }
  const byText = () => {
    const text = collapsed(textOf(element))
    const hasText = (each: Element) => collapsed(textOf(each)) === text
    const matches = (each: Element) => hasText(each) && ![...each.children].some(hasText)
    return unique({ text, exact: true }, text, matches)
  }
  const byPosition = (): RecipeLocator[] => {
    const css = pathsTo(element).find((path) => byCss(path).length > 0)
    return css === undefined ? [] : [{ css }]
  }

  const isField = element.matches('input, select, textarea') && roleOf(element) === undefined
  const byType = () => [...byAttribute('autocomplete'), ...byAttribute('type')]
  const candidates = isField
    ? [byLabel, byName, byId, byTestId, byPlaceholder, byType]
    : [byRole, byLabel, byTestId, byName, byId, byText]
  return [...candidates, byPosition].flatMap((candidate) => candidate())
}

/** All elements, including those in open shadow trees. */
function elementsIn(root: Document | ShadowRoot): Element[] {
  return [...root.querySelectorAll('*')].flatMap((each) =>
    each.shadowRoot ? [each, ...elementsIn(each.shadowRoot)] : [each],
  )
}

/** CSS selectors by position, from the shortest to the whole path: `input`, `form > input`. */
function pathsTo(element: Element): string[] {
  const paths: string[] = []
  for (let each: Element | null = element; each; each = each.parentElement) {
    const { localName, id } = each
    const alike = [...(each.parentNode?.children ?? [])].filter((other) => other.localName === localName)
    const place = alike.length > 1 ? `:nth-of-type(${alike.indexOf(each) + 1})` : ''
    const part = isDurableId(id) && each !== element ? `#${CSS.escape(id)}` : localName + place
    paths.push([part, ...paths.slice(-1)].join(' > '))
  }
  return paths
}

function collapsed(text: string | null | undefined): string {
  return (text ?? '').replaceAll(/\s+/g, ' ').trim()
}

/** Whether a text is probably the same in every login: short, and without long numbers or e-mail addresses. */
export function isDurable(text: string): boolean {
  return text !== '' && text.length <= 60 && !/\d{4}|@/.test(text)
}

function isDurableId(id: string): boolean {
  return isDurable(id) && !/\d{3}|:|[0-9a-f]{8}/i.test(id)
}

function cssString(value: string): string {
  return `"${value.replaceAll(/["\\]/g, '\\$&')}"`
}

function isExposed(each: Element): boolean {
  return each.checkVisibility({ visibilityProperty: true }) && !each.closest('[aria-hidden="true"]')
}

/** The text of a node, visible or not, as Playwright compares it. */
function textOf(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return node.nodeValue ?? ''
  if (node instanceof Element && node.matches('script, noscript, style')) return ''
  return [...node.childNodes].map(textOf).join('')
}

/** The text of a node for its accessible name. */
function accessibleText(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return node.nodeValue ?? ''
  if (!(node instanceof Element) || !isExposed(node)) return ''
  const label =
    node.getAttribute('aria-label') ?? (node.localName === 'img' ? node.getAttribute('alt') : null)
  if (label !== null) return label
  const text = [...node.childNodes].map(accessibleText).join('')
  return getComputedStyle(node).display.startsWith('inline') ? text : ` ${text} `
}

function labelsOf(each: Element): string[] {
  const by = each.getAttribute('aria-labelledby')?.split(/\s+/).filter(Boolean) ?? []
  const labelling = by.map((id) => document.getElementById(id)).filter((found) => found !== null)
  if (labelling.length > 0) return labelling.map((found) => collapsed(textOf(found)))
  const label = collapsed(each.getAttribute('aria-label'))
  if (label !== '') return [label]
  return [...((each as HTMLInputElement).labels ?? [])].map((found) => collapsed(textOf(found)))
}

function roleOf(each: Element): string | undefined {
  const given = each.getAttribute('role')?.trim().split(/\s+/)[0]
  if (given) return given
  if (each.localName === 'a') return each.hasAttribute('href') ? 'link' : undefined
  if (each.localName === 'button') return 'button'
  if (!(each instanceof HTMLInputElement)) return undefined
  if (/^(?:submit|button|reset|image)$/.test(each.type)) return 'button'
  return /^(?:checkbox|radio)$/.test(each.type) ? each.type : undefined
}

function nameOf(each: Element): string {
  const [label] = labelsOf(each)
  if (label !== undefined) return label
  if (each instanceof HTMLInputElement) {
    if (each.type === 'image') return collapsed(each.alt || each.title)
    return collapsed(each.value || (each.type === 'submit' ? 'Submit' : each.title))
  }
  return collapsed([...each.childNodes].map(accessibleText).join('')) || collapsed(each.getAttribute('title'))
}

const helpers = [
  elementsIn,
  pathsTo,
  collapsed,
  isDurable,
  isDurableId,
  cssString,
  isExposed,
  textOf,
  accessibleText,
  labelsOf,
  roleOf,
  nameOf,
]

/** Source of `locatorsOf` and its helpers, for a script in the page. */
export const locatorsSource = `(() => { ${[...helpers, locatorsOf].join('\n')}; return locatorsOf })()`
