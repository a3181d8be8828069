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
  readonly isComment: boolean
}

/** Comments, string literals and regular expressions. A division may look like the last of these. */
const token =
  /(?<line>\/\/[^\n]*)|(?<block>\/\*[\s\S]*?\*\/)|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(?<expression>\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*)/g

/** The code before a regular expression ends with an operator, an opening bracket or one of these keywords. */
const beforeExpression = /(?:^|[(,=:[!&|?{};+<>~^%*-]|\b(?:return|case|typeof|of|in))\s*$/

/** The comments and string literals of a source file. Line comments on consecutive lines are one text. */
export function textsOf(path: string): SourceText[] {
  return textsIn(readFileSync(join(projectRoot, path), 'utf8'))
}

export function textsIn(source: string): SourceText[] {
  const found: SourceText[] = []
  let lineCommentEnd = -1
  token.lastIndex = 0
  for (let match = token.exec(source); match; match = token.exec(source)) {
    const { index } = match
    const [text] = match
    const { line, block, expression } = match.groups ?? {}
    if (expression !== undefined) {
      const isDivision = !beforeExpression.test(source.slice(Math.max(0, index - 20), index))
      if (isDivision) token.lastIndex = index + 1
      continue
    }
    const isContinued =
      line !== undefined && lineCommentEnd >= 0 && source.slice(lineCommentEnd, index).trim() === ''
    const previous = isContinued ? found.pop() : undefined
    lineCommentEnd = line === undefined ? -1 : index + text.length
    found.push({
      text: previous ? `${previous.text} ${text.slice(2)}` : text.replace(/\n\s*\*/g, '\n'),
      line: previous?.line ?? source.slice(0, index).split('\n').length,
      isComment: line !== undefined || block !== undefined,
    })
  }
  return found
}
