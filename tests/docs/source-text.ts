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

/** Comments, string literals, the start of a template and regular expressions. A division may look like the last of these. */
const token =
  /(?<line>\/\/[^\n]*)|(?<block>\/\*[\s\S]*?\*\/)|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|(?<template>`)|(?<expression>\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*)/g

/** The code before a regular expression ends with an operator, an opening bracket or one of these keywords. */
const beforeExpression = /(?:^|[(,=:[!&|?{};+<>~^%*-]|\b(?:return|case|typeof|of|in))\s*$/

/** A sentence or a part of one, in contrast to a name or a value. */
export const isProse = (text: string) => /^.?[A-Za-z,'’]+(?: [A-Za-z,'’-]+){3,}/.test(text)

/** The comments and string literals of a source file. Line comments on consecutive lines are one text. */
export function textsOf(path: string): SourceText[] {
  return textsIn(readFileSync(join(projectRoot, path), 'utf8'))
}

export function textsIn(source: string): SourceText[] {
  const texts: SourceText[] = []
  let lineCommentEnd = -1
  const matcher = new RegExp(token)
  for (let match = matcher.exec(source); match; match = matcher.exec(source)) {
    const { index } = match
    const { line, block, template, expression } = match.groups ?? {}
    const parts = template === undefined ? undefined : templateAt(source, index)
    const text = parts?.text ?? match[0]
    if (parts) matcher.lastIndex = parts.end
    if (expression !== undefined) {
      const isDivision = !beforeExpression.test(source.slice(Math.max(0, index - 20), index))
      if (isDivision) matcher.lastIndex = index + 1
      continue
    }
    const isContinued =
      line !== undefined && lineCommentEnd >= 0 && source.slice(lineCommentEnd, index).trim() === ''
    const previous = isContinued ? texts.pop() : undefined
    lineCommentEnd = line === undefined ? -1 : index + text.length
    texts.push({
      text: previous ? `${previous.text} ${text.slice(2)}` : text.replace(/\n\s*\*/g, '\n'),
      line: previous?.line ?? source.slice(0, index).split('\n').length,
      isComment: line !== undefined || block !== undefined,
    })
    for (const { code, at } of parts?.codes ?? []) {
      const linesBefore = source.slice(0, at).split('\n').length - 1
      texts.push(...textsIn(code).map((inner) => ({ ...inner, line: inner.line + linesBefore })))
    }
  }
  return texts
}

/** A template: its text without its expressions, these with their positions, and its end. */
function templateAt(source: string, start: number) {
  const codes: { readonly code: string; readonly at: number }[] = []
  let text = ''
  let position = start + 1
  while (position < source.length && source[position] !== '`') {
    if (source.startsWith('${', position)) {
      const end = codeEnd(source, position + 2)
      codes.push({ code: source.slice(position + 2, end), at: position + 2 })
      text += '…'
      position = end + 1
    } else {
      const length = source[position] === '\\' ? 2 : 1
      text += source.slice(position, position + length)
      position += length
    }
  }
  return { text, codes, end: position + 1 }
}

/** The position of the brace that closes an expression of a template. */
function codeEnd(source: string, start: number): number {
  let depth = 0
  for (let position = start; position < source.length; position += 1) {
    const character = source[position]
    if (character === '`') position = templateAt(source, position).end - 1
    else if (character === '{') depth += 1
    else if (character === '}') {
      if (depth === 0) return position
      depth -= 1
    }
  }
  return source.length
}
