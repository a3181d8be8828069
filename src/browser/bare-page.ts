/** Elements that only show text. */
const inert: ReadonlySet<string> = new Set([
  ...[
    'html',
    'head',
    'title',
    'meta',
    'link',
    'style',
    'body',
    'main',
    'header',
    'footer',
    'section',
    'article',
  ],
  ...['div', 'span', 'p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'dl', 'dt', 'dd'],
  ...['b', 'i', 'em', 'strong', 'small', 'code', 'pre', 'center', 'address', 'blockquote', 'img'],
])

/**
 * Whether a page has only text: no field, button, link, script, frame or refresh. When in doubt, for example with an
 * encoding that does not extend ASCII, it is not bare.
 * @param body of the complete response
 */
export function isBare(body: Buffer): boolean {
  const html = body.toString('latin1')
  if (html.includes('\0') || /\bhttp-equiv\s*=\s*["']?refresh|[\s/"']on[a-z]+\s*=/i.test(html)) return false
  const elements = [...html.matchAll(/<([a-z][^\s/>]*)/gi)].map(([, name = '']) => name.toLowerCase())
  return elements.length > 0 && elements.every((name) => inert.has(name))
}
