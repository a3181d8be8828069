// The page of an implementation: Markdown that lists how it differs from the interface specification.
//
//   ## Violations
//   - `ID`, `ID`: why the implementation differs

/** The sections of a page by title, with the member of `Page` that holds each list. */
const sections = {
  Violations: 'violations',
  'Violations that depend on timing': 'occasional',
  Inconclusive: 'inconclusive',
  'Defects of Plumbline': 'defects',
} as const

type Section = (typeof sections)[keyof typeof sections]

/**
 * The requirements that a page lists, each with its reason. `violations` occur in every run, `occasional` violations in
 * some runs. `defects` are verdicts of Plumbline that the specification does not support.
 */
export type Page = Readonly<Record<Section, ReadonlyMap<string, string>>>

/** A list item: requirements, and their common reason. */
const item = /^\s*- ((?:`[A-Z0-9-]+`(?:,\s+)?)+)(?::(.*))?$/s

/**
 * Reads the lists of a page, and ignores its other text.
 * @param ids of all requirements
 * @throws if a section or a requirement is unknown, or a requirement is listed twice or without a reason
 */
export function readExpectations(markdown: string, ids: ReadonlySet<string>): Page {
  const page = {
    violations: new Map<string, string>(),
    occasional: new Map<string, string>(),
    inconclusive: new Map<string, string>(),
    defects: new Map<string, string>(),
  }
  const seen = new Set<string>()
  let section: Section | undefined
  for (const block of markdown.split(/\n(?=## |- |\n)/)) {
    const title = /^\s*## (.+)/.exec(block)?.[1]
    if (title !== undefined) section = sectionOf(title)
    if (!/^\s*- /.test(block)) continue
    const [, list, reason = ''] = item.exec(block) ?? []
    if (list === undefined || section === undefined)
      throw new Error(`"${block.trim()}" is not a list of requirements in a section`)
    for (const [, id = ''] of list.matchAll(/`([A-Z0-9-]+)`/g)) {
      if (!ids.has(id)) throw new Error(`${id} is not a requirement`)
      if (seen.has(id)) throw new Error(`${id} is listed twice`)
      if (reason.trim() === '') throw new Error(`${id} has no reason`)
      seen.add(id)
      page[section].set(id, reason.replace(/\s+/g, ' ').trim())
    }
  }
  return page
}

function sectionOf(title: string): Section {
  const section = sections[title.trim() as keyof typeof sections]
  if (section === undefined)
    throw new Error(`"${title}" is not a section: ${Object.keys(sections).join(', ')} are`)
  return section
}
