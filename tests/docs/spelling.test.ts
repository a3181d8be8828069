import { readFileSync } from 'node:fs'
import dictionary from 'dictionary-en-gb'
import retextEnglish from 'retext-english'
import indefiniteArticle from 'retext-indefinite-article'
import repeatedWords from 'retext-repeated-words'
import retextSpell from 'retext-spell'
import retextStringify from 'retext-stringify'
import { unified } from 'unified'
import { expect, test } from 'vitest'
import { documents, read } from './markdown.ts'
import { isProse, sources, textsOf } from './source-text.ts'

// Spelling, doubled words, and a/an. A correct word that the dictionary lacks goes into vocabulary.txt.

const vocabulary = readFileSync(new URL('vocabulary.txt', import.meta.url), 'utf8')
const language = unified()
  .use(retextEnglish)
  .use(indefiniteArticle)
  .use(repeatedWords)
  .use(retextSpell, { dictionary, personal: vocabulary, max: 0, ignoreDigits: true })
  .use(retextStringify)

/** Takes the place of code, so that the sentence stays a sentence. */
const code = ' Code '

/** Text without code, addresses, and whatever else is not a word. */
function wordsOf(text: string): string {
  return text
    .replace(/```[\s\S]*?```/g, '')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/biome-ignore \S+|https?:(?!\/)/g, 'HTTP')
    .replace(/@(?:param|returns|throws)(?: \{[^}]*\})?(?: \w+\b)?/g, '')
    .replace(/`[^`]*`|…|<[^>\n]*>|\S*[./_=@:\\#$&|+*{}[\]]\w\S*|\S*\w[A-Z]\S*/g, code)
}

async function mistakesIn(text: string): Promise<string[]> {
  const { messages } = await language.process(wordsOf(text))
  return messages.map(({ message }) => message).filter((message) => !message.includes(code.trim()))
}

test('the language tools find mistakes', async () => {
  expect(await mistakesIn('A server recieves an request, and and responds with `200`.')).toHaveLength(3)
})

test.each(documents)('%s', async (document) => {
  expect(await mistakesIn(read(document))).toEqual([])
})

test.each(['src', 'suites', 'load', 'provider', 'proof'])('comments and messages of %s', async (folder) => {
  const found = await Promise.all(
    sources
      .filter((path) => path.startsWith(`${folder}/`))
      .map(async (path) => {
        const texts = textsOf(path).filter(({ text, isComment }) => isComment || isProse(text))
        const mistakes = await mistakesIn(
          texts.map(({ text }) => text.replace(/^['"`]|['"`]$/g, '')).join('\n\n'),
        )
        return mistakes.map((mistake) => `${path}: ${mistake}`)
      }),
  )
  expect(found.flat()).toEqual([])
})
