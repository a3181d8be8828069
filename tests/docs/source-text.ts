import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../src/project.ts'

/** All source files, by their paths from the root of the project. */
export const sources: readonly string[] = globSync(
  '{bin,src,suites,load,provider,proof,bench,lawful,mutation,scripts,tests}/**/*.{ts,mjs}',
  { cwd: projectRoot, exclude: ['lawful/node_modules', 'mutation/node_modules'] },
).sort()

/** A comment or a string literal, with its line from 1. */
export interface SourceText {
  readonly text: string
  readonly line: number
}

/** What separates a regular expression from a division: the end of the code before it. */
const beforeExpression = /(?:^|[(,=:[!&|?{};+<>~^%*-]|\b(?:return|case|typeof|of|in))\s*$/

const tokens = [
  /\/\/[^\n]*/,
  /\/\*[\s\S]*?\*\//,
  /'(?:\\[\s\S]|[^'\\\n])*'/,
  /"(?:\\[\s\S]|[^"\\\n])*"/,
  /`(?:\\[\s\S]|[^`\\])*`/,
  /\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/,
].map((pattern) => `(${pattern.source})`)
const token = new RegExp(tokens.join('|'), 'g')

/** The comments and string literals of a source file. Adjacent line comments are one text. */
export function textsOf(path: string): SourceText[] {
  return textsIn(readFileSync(join(projectRoot, path), 'utf8'))
}

export function textsIn(source: string): SourceText[] {
  const found: { text: string; line: number; isLineComment: boolean; end: number }[] = []
  token.lastIndex = 0
  for (let match = token.exec(source); match; match = token.exec(source)) {
    const [text, lineComment, , , , , expression] = match
    if (expression !== undefined) {
      if (!beforeExpression.test(source.slice(Math.max(0, match.index - 20), match.index)))
        token.lastIndex = match.index + 1
      continue
    }
    const isLineComment = lineComment !== undefined
    const previous = found.at(-1)
    const isContinued =
      isLineComment && previous?.isLineComment && source.slice(previous.end, match.index).trim() === ''
    if (isContinued && previous) {
      previous.text += ` ${text.slice(2)}`
      previous.end = token.lastIndex
    } else {
      const line = source.slice(0, match.index).split('\n').length
      found.push({ text, line, isLineComment, end: token.lastIndex })
    }
  }
  return found.map(({ text, line }) => ({ text: text.replace(/\n\s*\*/g, '\n'), line }))
}
