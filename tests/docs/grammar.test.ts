import { Dialect, LocalLinter } from 'harper.js'
import { slimBinary } from 'harper.js/slimBinary'
import { beforeAll, expect, test } from 'vitest'
import { documents, read } from './markdown.ts'
import { isProse, sources, textsOf } from './source-text.ts'

/**
 * The rules of Harper that are right more often than wrong on the texts of this project. Left out: rules on spelling,
 * capitals, units and options, which take code for words, and rules for idioms that no text here contains.
 * `spelling.test.ts` finds repeated words.
 */
const rules =
  `AllowTo AnAnother AnotherAn AnotherThings AsEvidentBy AwaitFor AwareOf BeAllowed ComprisesOf DespiteOf
  DidPast DoubleModal EachOthersPossessive HadOf HaveNegNoAny HeDos HowItLooksLike InsteadOf IsBeenAuxSequence
  KnowNothingVerb LongSentences LooksLikes ModalOf ModalSeem MostNumber NeedToNoun NominalWants NotBeAfterNot
  NotOnly OughtToBe QuantifierNeedsOf ReasonForDoing RegularIrregulars SimilarLike
  SimplePastToPastParticiple SingleBe SomeWithoutArticle SupposedTo TheAnother ThenThan ThesesThese ToAdverb UseToUsedTo
  VerbToAdjective WantBe WasComprisedOf WereWhere WillContain WillNonLemma WithoutOut WorthToDo`.split(/\s+/)

const linter = new LocalLinter({ binary: slimBinary, dialect: Dialect.British })

beforeAll(async () => {
  const known = Object.keys(await linter.getDefaultLintConfig())
  expect(known).toEqual(expect.arrayContaining(rules))
  await linter.setLintConfig(Object.fromEntries(known.map((rule) => [rule, rules.includes(rule)])))
})

async function mistakesIn(text: string, language: 'markdown' | 'plaintext'): Promise<string[]> {
  const found = await linter.lint(text, { language })
  return found.map((lint) => `${lint.get_problem_text().replace(/\s+/g, ' ')}: ${lint.message()}`)
}

test('the grammar checker finds mistakes', async () => {
  const text =
    'The target did not responded. This allows to send a request. You could of waited. The latency was comprised of two parts.'
  expect(await mistakesIn(text, 'plaintext')).toHaveLength(4)
})

/** Pages that are read as lists of separate entries. */
const lists = ['CHANGELOG.md']

/** A page without the table that scripts/safety.ts writes from the suites, whose rows are lists, and without code. */
const proseOf = (page: string) =>
  read(page)
    .replace(/<!-- Written by scripts\/safety[\s\S]*?<!-- The end[^>]*-->/, '')
    .replace(/^ *```[\s\S]*?^ *```/gm, '')

test.each(documents.filter((page) => !lists.includes(page)))('%s', async (page) => {
  expect(await mistakesIn(proseOf(page), 'markdown')).toEqual([])
})

test.each(['src', 'suites', 'load', 'provider', 'proof'])('messages of %s', async (folder) => {
  const found: string[] = []
  for (const path of sources.filter((source) => source.startsWith(`${folder}/`))) {
    const messages = textsOf(path).filter(({ text, isComment }) => !isComment && isProse(text))
    const mistakes = await mistakesIn(messages.map(({ text }) => text.slice(1, -1)).join('\n\n'), 'plaintext')
    found.push(...mistakes.map((mistake) => `${path}: ${mistake}`))
  }
  expect(found).toEqual([])
})
