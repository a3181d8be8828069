import type { RecipeLocator } from '../recipe.ts'

/**
 * Runs inside the page, so it can use nothing from outside itself. Ways to point to an element that find nothing else
 * on the page, the one that is likeliest to last first. Texts that may belong to one login (digits, addresses) are no
 * way; the place in the page is the last one.
 */
export function locatorsOf(element: Element): RecipeLocator[] {
  const everything: Element[] = []
  const walk = (root: Document | ShadowRoot) => {
    for (const each of root.querySelectorAll('*')) {
      everything.push(each)
      if (each.shadowRoot) walk(each.shadowRoot)
    }
  }
  walk(document)

  const plain = (text: string | null | undefined) => (text ?? '').replaceAll(/\s+/g, ' ').trim()
  const lasts = (text: string) => text !== '' && text.length <= 60 && !/\d{4}|@/.test(text)
  const lastsAsId = (id: string) => lasts(id) && !/\d{3}|:|[0-9a-f]{8}/i.test(id)
  const quoted = (value: string) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`

  const isShown = (each: Element) =>
    each.checkVisibility({ visibilityProperty: true }) && !each.closest('[aria-hidden="true"]')

  /** As labels are compared: everything that is written in it, seen or not. */
  const writtenIn = (node: Node): string => {
    if (node.nodeType === Node.TEXT_NODE) return node.nodeValue ?? ''
    if (node instanceof Element && node.matches('script, noscript, style')) return ''
    return [...node.childNodes].map(writtenIn).join('')
  }

  /** As an accessible name is put together from content. */
  const spokenIn = (node: Node): string => {
    if (node.nodeType === Node.TEXT_NODE) return node.nodeValue ?? ''
    if (!(node instanceof Element) || !isShown(node)) return ''
    const label =
      node.getAttribute('aria-label') ?? (node.localName === 'img' ? node.getAttribute('alt') : null)
    if (label !== null) return label
    const text = [...node.childNodes].map(spokenIn).join('')
    return getComputedStyle(node).display.startsWith('inline') ? text : ` ${text} `
  }

  const labelsOf = (each: Element): string[] => {
    const by = each.getAttribute('aria-labelledby')?.split(/\s+/).filter(Boolean) ?? []
    const labelling = by.map((id) => document.getElementById(id)).filter((found) => found !== null)
    if (labelling.length > 0) return labelling.map((found) => plain(writtenIn(found)))
    const label = plain(each.getAttribute('aria-label'))
    if (label !== '') return [label]
    return [...((each as HTMLInputElement).labels ?? [])].map((found) => plain(writtenIn(found)))
  }

  const roleOf = (each: Element): string | undefined => {
    const given = each.getAttribute('role')?.trim().split(/\s+/)[0]
    if (given) return given
    if (each.localName === 'a') return each.hasAttribute('href') ? 'link' : undefined
    if (each.localName === 'button') return 'button'
    if (!(each instanceof HTMLInputElement)) return undefined
    if (/^(?:submit|button|reset|image)$/.test(each.type)) return 'button'
    return /^(?:checkbox|radio)$/.test(each.type) ? each.type : undefined
  }

  const nameOf = (each: Element): string => {
    const [label] = labelsOf(each)
    if (label !== undefined) return label
    if (each instanceof HTMLInputElement) {
      if (each.type === 'image') return plain(each.alt || each.title)
      return plain(each.value || (each.type === 'submit' ? 'Submit' : each.title))
    }
    return plain([...each.childNodes].map(spokenIn).join('')) || plain(each.getAttribute('title'))
  }

  const only = (is: (each: Element) => boolean) => {
    const found = everything.filter(is)
    return found.length === 1 && found[0] === element
  }
  const byCss = (css: string): RecipeLocator[] => (only((each) => each.matches(css)) ? [{ css }] : [])
  const byAttribute = (name: string): RecipeLocator[] => {
    const value = element.getAttribute(name) ?? ''
    return lasts(value) ? byCss(`${element.localName}[${name}=${quoted(value)}]`) : []
  }

  const byLabel = (): RecipeLocator[] =>
    labelsOf(element)
      .filter((label) => lasts(label) && only((each) => labelsOf(each).includes(label)))
      .map((label) => ({ label, exact: true }))
  const byRole = (): RecipeLocator[] => {
    const role = roleOf(element)
    const name = nameOf(element)
    const is = (each: Element) => isShown(each) && roleOf(each) === role && nameOf(each) === name
    return role !== undefined && lasts(name) && only(is) ? [{ role, name, exact: true }] : []
  }
  const byTestId = (): RecipeLocator[] => {
    const testId = element.getAttribute('data-testid') ?? ''
    return lasts(testId) && only((each) => each.getAttribute('data-testid') === testId) ? [{ testId }] : []
  }
  const byId = () => (lastsAsId(element.id) ? byCss(`#${CSS.escape(element.id)}`) : [])
  const byName = (): RecipeLocator[] => {
    const name = element.getAttribute('name') ?? ''
    const value = element.getAttribute('value') ?? ''
    if (!lasts(name)) return []
    const css = `[name=${quoted(name)}]`
    const isTyped = element.matches('input:not([type=submit], [type=button], [type=checkbox], [type=radio])')
    return [...byCss(css), ...(!isTyped && lasts(value) ? byCss(`${css}[value=${quoted(value)}]`) : [])]
  }
  const byPlaceholder = (): RecipeLocator[] => {
    const placeholder = plain(element.getAttribute('placeholder'))
    const is = (each: Element) => plain(each.getAttribute('placeholder')) === placeholder
    return lasts(placeholder) && only(is) ? [{ placeholder, exact: true }] : []
  }
  const byText = (): RecipeLocator[] => {
    const text = plain(writtenIn(element))
    const says = (each: Element) => plain(writtenIn(each)) === text
    return lasts(text) && only((each) => says(each) && ![...each.children].some(says))
      ? [{ text, exact: true }]
      : []
  }
  const byPlace = (): RecipeLocator[] => {
    const path: string[] = []
    for (let each: Element | null = element; each; each = each.parentElement) {
      const { localName, id } = each
      const alike = [...(each.parentNode?.children ?? [])].filter((other) => other.localName === localName)
      const place = alike.length > 1 ? `:nth-of-type(${alike.indexOf(each) + 1})` : ''
      path.unshift(lastsAsId(id) && each !== element ? `#${CSS.escape(id)}` : localName + place)
      const css = path.join(' > ')
      if (only((other) => other.matches(css))) return [{ css }]
    }
    return []
  }

  const isField = element.matches('input, select, textarea') && roleOf(element) === undefined
  const ways = isField
    ? [
        byLabel,
        byName,
        byId,
        byTestId,
        byPlaceholder,
        () => byAttribute('autocomplete'),
        () => byAttribute('type'),
      ]
    : [byRole, byLabel, byTestId, byName, byId, byText]
  return [...ways, byPlace].flatMap((way) => way())
}
