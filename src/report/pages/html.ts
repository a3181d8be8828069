import { escapeMarkup } from '../../text/markup.ts'

/** Markup that is inserted unescaped. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

export type Content = Html | string | number | undefined | readonly Content[]

/** A template of markup. Inserted texts are escaped, inserted markup is not, and the items of lists are joined. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(
    parts.map((part, index) => (index === 0 ? '' : markupOf(values[index - 1])) + part).join(''),
  )
}

/** A text in which backticks enclose code. Words with a hyphen, such as ids and dates, stay on one line. */
export function prose(text: string): Html {
  const parts = text.split(/`([^`\n]+)`/)
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : unbroken(part)))}`
}

/** A word with a hyphen. Matches begin only at the start of a word, so that long words without a hyphen cost little. */
const hyphenated = /(?<!\S)(\S*\w-\w\S*)/

/** Puts each word with a hyphen into its own element. Otherwise, a browser would break the word at its hyphen. */
function unbroken(text: string): Content {
  const parts = text.split(hyphenated)
  return parts.map((part, index) => (index % 2 === 1 ? html`<span class="whole">${part}</span>` : part))
}

function markupOf(content: Content): string {
  if (content === undefined) return ''
  if (content instanceof Html) return content.markup
  if (typeof content === 'object') return content.map(markupOf).join('')
  return escapeMarkup(String(content))
}
