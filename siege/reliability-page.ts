/** The attempts to break one promise. */
export interface Tried {
  readonly name: string
  readonly promise: string
  readonly method: string
  readonly tries: number
  /** Number of tries without `--attempts`. */
  readonly all: number
  /** The attempts that broke the promise. */
  readonly broken: readonly string[]
  /** Markdown table of the expected outcomes; unset if not all attempts were tried. */
  readonly outcomes?: string
}

const begin = '<!-- Written by npm run siege. -->'
const end = '<!-- The end of what npm run siege writes. -->'
/** Comments around the table of a subject. */
const tableMarks = (name: string) =>
  [
    `<!-- Table of ${name}, written by npm run siege. -->`,
    `<!-- The end of the table of ${name}. -->`,
  ] as const

/** docs/reliability.md with the new results; results of other subjects remain. */
export function pageOf(text: string, tried: readonly Tried[]): string {
  const [before = '', rest = ''] = text.split(`${begin}\n`)
  const [written = '', after = ''] = rest.split(end)
  const rows = new Map<string, string>()
  for (const line of written.split('\n')) {
    const name = /^\| `(\w+)` \|/.exec(line)?.[1]
    if (name !== undefined) rows.set(name, line)
  }
  for (const each of tried) rows.set(each.name, rowOf(each))
  const title = '| subject | promise | test | attempts | result |\n|---|---|---|---:|---|'
  const page = `${before}${begin}\n\n${title}\n${[...rows.values()].join('\n')}\n\n${end}${after}`
  return tried.reduce(withTable, page)
}

function withTable(page: string, { name, outcomes }: Tried): string {
  if (outcomes === undefined) return page
  const [begins, ends] = tableMarks(name)
  const [before = '', rest = ''] = page.split(begins)
  const [, after = ''] = rest.split(ends)
  return `${before}${begins}\n\n${outcomes}\n\n${ends}${after}`
}

function rowOf({ name, promise, method, tries, all, broken }: Tried): string {
  const attempts = tries === all ? tries : `${tries} of ${all}`
  const result = broken.length === 0 ? 'held' : `broken ${broken.length} times: ${broken.join('; ')}`
  return `| \`${name}\` | ${promise} | ${method} | ${attempts} | ${result} |`
}
