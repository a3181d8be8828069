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
 * Whether a page has text only: nothing to fill in, to press or to follow, no script, no frame, no refresh. Errs on the
 * side of no, as for encodings that do not extend ASCII.
 * @param body the response, complete
 */
export function isBare(body: Buffer): boolean {
  const html = body.toString('latin1')
  if (html.includes('\0') || /\bhttp-equiv\s*=\s*["']?refresh|[\s/"']on[a-z]+\s*=/i.test(html)) return false
  const elements = [...html.matchAll(/<([a-z][^\s/>]*)/gi)].map(([, name = '']) => name.toLowerCase())
  return elements.length > 0 && elements.every((name) => inert.has(name))
}
