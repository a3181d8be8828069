import { globSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { faults, variants } from '../../provider/index.ts'
import { loadSuites } from '../../src/check/suites.ts'
import { program } from '../../src/cli/program.ts'
import { projectRoot } from '../../src/project.ts'
import { documents, read } from './markdown.ts'
import { type SourceText, sources, textsIn, textsOf } from './source-text.ts'

/** Phrases that are always unclear, with the replacement. */
const banned: readonly (readonly [phrase: RegExp, use: string])[] = [
  [/\bnobody\b/i, 'no caller, no user'],
  [/\bsomebody\b/i, 'another process, a colleague'],
  [/\banybody\b/i, 'a user, another process'],
  [/\bwhoever\b/i, 'the caller, the team that'],
  [/\b(?:is|are|was|were) told\b/i, 'reports, shows, receives Retry-After'],
  [/\btells (?:to|whether|which|how|that)\b/i, 'shows, reports'],
  [/\bhand(?:s|ed|ing)? over\b/i, 'deliver, pass'],
  [/\bgood (?:request|login|call|search|token|access token|code exchange)\b/i, 'valid'],
  [/\bwhat (?:came|comes)\b/i, 'the response, the outcome'],
  [/\bwhat (?:becomes|became) of\b/i, 'the outcome'],
  [/\bcommit a fault\b/i, 'reproduce a fault'],
  [/\b(?:put|puts) up with\b/i, 'accept, waive'],
  [/\blet off\b/i, 'waived'],
  [/\bgive[ns]? up (?:a|the) login\b/i, 'cancel the login'],
  [/\b(?:gives?|giving) the login up\b/i, 'cancel the login'],
  [/\b(?:which|that|it|this) is (?:no|none)\b(?! longer)/i, 'is not a …'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\breckons?\b/i, 'estimate, compute'],
  [/\bstumbles?\b/i, 'the target fails'],
  [/\bpolitely?\b/i, 'within the limits'],
  [/\bthe wait is over\b|\bRetry-After is over\b/i, 'after Retry-After has elapsed'],
  [/\basks (?:again|whether)\b|\basked again\b/i, 'retries, checks that'],
  [/\b(?:is|are|was|were) answered (?:\d|…|with|by|as)/i, 'the response is'],
  [/\bundecided\b(?! in one run)/i, 'inconclusive'],
  [/\bby chance\b/i, 'at random'],
  [/\bmade anew\b/i, 'repeated, created again'],
  [/\d a second\b/i, 'requests/s'],
  [/\bwhere (?:it is )?present\b/i, 'if present'],
  [/\b(?:is|are) not shown\b/i, 'is not specified, is masked'],
  [/\bgiven out\b/i, 'returned'],
  [/\b(?:brings?|brought) (?:it )?about\b/i, 'cause'],
  [/\brun (?:that )?was cut off\b/i, 'ended early, interrupted'],
  [/\bdecides? on no\b/i, 'does not decide on'],
]

/** Text for readers, without code and without the table that scripts/safety.ts writes from the suites. */
function prose(document: string): string {
  return read(document)
    .replace(/<!-- Written by scripts\/safety[\s\S]*?<!-- The end[^>]*-->/, '')
    .replace(/^ *```[\s\S]*?^ *```/gm, '')
    .replace(/`[^`]*`/g, '')
}

function violations(text: string): string[] {
  return banned.flatMap(([phrase, use]) => {
    const found = phrase.exec(text.replace(/\s+/g, ' '))
    return found ? [`"${found[0]}": write ${use}`] : []
  })
}

/** The prose of a text of a source: a comment without code, or a string literal of several words. */
function proseOf({ text, isComment }: SourceText): string {
  if (isComment) return text.replace(/`[^`]*`/g, '')
  return /\s/.test(text.trim()) ? text.replace(/\$\{[^{}]*\}/g, '…') : ''
}

/** Sources whose texts are examples of banned phrases. */
const examples = ['tests/docs/words.test.ts']

test('no source has a banned phrase in its comments and strings', () => {
  const found = sources
    .filter((path) => !examples.includes(path))
    .flatMap((path) =>
      textsOf(path).flatMap((text) =>
        violations(proseOf(text)).map((violation) => `${path}:${text.line}: ${violation}`),
      ),
    )
  expect(found).toEqual([])
})

test('a command that a text advises begins with npx, so that it works in a checkout as it is', () => {
  const names = program().commands.map((command) => command.name())
  const bare = new RegExp(`(?<!npx )\\bplumbline (?:--|(?:${names.join('|')})\\b)`)
  const found = sources
    .filter((path) => /^(?:bin|src|load|provider)\//.test(path))
    .flatMap((path) =>
      textsOf(path).flatMap(({ text, line, isComment }) =>
        isComment || !bare.test(text) ? [] : [`${path}:${line}: ${text}`],
      ),
    )
  expect(found).toEqual([])
})

test('texts of a source are its comments and string literals, without its code', () => {
  const source = [
    '// One comment',
    '// in two lines.',
    "const quote = /['`/]/.test(text) ? 'a string' : total / 2 // at the end",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a template
    "const template = `of ${total({ a: `${'inner'}` })} parts`",
    '/** A block. */',
  ].join('\n')
  expect(textsIn(source).map(({ line, isComment, text }) => [line, isComment, text.trim()])).toEqual([
    [1, true, '// One comment  in two lines.'],
    [3, false, "'a string'"],
    [3, true, '// at the end'],
    [4, false, 'of … parts'],
    [4, false, '…'],
    [4, false, "'inner'"],
    [5, true, '/** A block. */'],
  ])
})

const pages = [...documents, 'SECURITY.md', ...globSync('lawful/*.md', { cwd: projectRoot })]

test('the glossary has at most twenty terms', () => {
  const [terms = ''] = read('docs/glossary.md').split('\n## ')
  const rows = terms.split('\n').filter((line) => line.startsWith('| '))
  expect(rows.length - 1).toBeLessThanOrEqual(20)
})

test.each(pages)('%s has no banned phrase', (document) => {
  expect(violations(prose(document))).toEqual([])
})

describe('--help', () => {
  const commands = program().commands.filter((command) => command.name() !== 'complete')

  test.each(commands.map((command) => [command.name(), command] as const))(
    'of %s has no banned phrase, and its description starts with a verb',
    (_, command) => {
      let help = ''
      command.configureOutput({ writeOut: (text) => (help += text) })
      command.outputHelp()
      expect(violations(help)).toEqual([])
      expect(command.description()).toMatch(/^[A-Z][a-z]+ /)
    },
  )
})

test('the summary of a fault or variant is a sentence about what the provider does', () => {
  const others = [...faults, ...variants].filter(({ summary }) => !/^[A-Z][a-z-]*s \S.*\.$/.test(summary))
  expect(others.map(({ name, summary }) => `${name}: ${summary}`)).toEqual([])
})

test('a statement is a sentence, and a reason without a check has no full stop', async () => {
  const { requirements } = await loadSuites()
  expect(requirements.filter(({ statement }) => !/^[A-Z`].*\.$/.test(statement))).toEqual([])
  expect(requirements.filter(({ reason }) => reason?.endsWith('.'))).toEqual([])
})

test('a banned phrase is found across a line break', () => {
  expect(violations('the target is\n told to wait')).toEqual([
    '"is told": write reports, shows, receives Retry-After',
  ])
})
