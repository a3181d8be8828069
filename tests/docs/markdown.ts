import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import GithubSlugger from 'github-slugger'
import MarkdownIt from 'markdown-it'
import { projectRoot } from '../../src/project.ts'

type Token = ReturnType<MarkdownIt['parse']>[number]

/** A part of a document, with the line on which its paragraph, table row or block begins, from 1. */
interface Placed {
  readonly document: string
  readonly line: number
}

/** Shell commands of a document: a block of them, or one in a sentence. */
export interface Script extends Placed {
  readonly text: string
}

/** A code block of any language; the language is empty if none is named. */
interface Block extends Placed {
  readonly language: string
  readonly text: string
}

interface Link extends Placed {
  readonly href: string
}

/** Documents for users, by their paths from the root of the project. */
export const documents: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'reports/README.md',
  ...readdirSync(join(projectRoot, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => posix.join('docs', name)),
]

/** First words of code in a sentence that is a command. */
const commandWords = ['npx', 'npm', 'node', 'plumbline', 'source', 'export', 'alias', 'curl']

const markdown = new MarkdownIt({ html: true })

export function read(document: string): string {
  return readFileSync(join(projectRoot, document), 'utf8')
}

/** Shell blocks and commands in sentences, in their order. */
export function scripts(document: string): Script[] {
  return placed(document).flatMap(({ token, line }): Script[] => {
    if (token.type === 'fence' && token.info === 'sh') return [{ document, line, text: token.content }]
    return inlineCode(token)
      .filter((text) => commandWords.includes(text.split(' ', 1)[0] ?? '') && text.includes(' '))
      .map((text) => ({ document, line, text }))
  })
}

/** Every code block. */
export function blocks(document: string): Block[] {
  return placed(document)
    .filter(({ token }) => token.type === 'fence' || token.type === 'code_block')
    .map(({ token, line }) => ({ document, line, language: token.info, text: token.content }))
}

/** The code of the first cell of each row of all tables. */
export function firstCells(document: string): string[] {
  const tokens = markdown.parse(read(document), {})
  return tokens.flatMap((token, index) => (token.type === 'tr_open' ? inlineCode(tokens[index + 2]) : []))
}

/** Links in sentences, not in code. */
export function links(document: string): Link[] {
  return placed(document).flatMap(({ token, line }) =>
    (token.children ?? []).flatMap((child) => {
      const href = child.attrGet(child.type === 'image' ? 'src' : 'href')
      return href === null ? [] : [{ document, line, href }]
    }),
  )
}

/** The fragments of links to a document, as GitHub derives them from headings. */
export function anchors(document: string): Set<string> {
  const slugger = new GithubSlugger()
  const tokens = markdown.parse(read(document), {})
  return new Set(
    tokens.flatMap((token, index) => {
      if (token.type !== 'heading_open') return []
      const children = tokens[index + 1]?.children ?? []
      const text = children.filter(({ type }) => type === 'text' || type === 'code_inline')
      return [slugger.slug(text.map(({ content }) => content).join(''))]
    }),
  )
}

function inlineCode(token: Token | undefined): string[] {
  return (token?.children ?? []).filter(({ type }) => type === 'code_inline').map(({ content }) => content)
}

/** The tokens of a document with their lines. Cells of a table have the line of their row. */
function placed(document: string): { readonly token: Token; readonly line: number }[] {
  let line = 1
  return markdown.parse(read(document), {}).map((token) => {
    if (token.map) line = token.map[0] + 1
    return { token, line }
  })
}
