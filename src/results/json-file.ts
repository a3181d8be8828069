import { relative } from 'node:path'
import type { ErrorObject } from 'ajv/dist/2020.js'
import { findNodeAtLocation, type ParseError, parseTree, printParseErrorCode, visit } from 'jsonc-parser'
import { SetupError } from '../target/problem.ts'
import { counted } from '../text/format.ts'
import { JsonExcess } from '../text/json.ts'
import { schemaValidator } from '../text/json-schema.ts'
import { parseStoredJson, readStoredFile } from './stored-file.ts'

/** The path of a value in a JSON document. */
export type JsonPath = readonly (string | number)[]

/** A JSON file that conforms to its schema. */
interface JsonFile<T> {
  readonly value: T
  /** The unchanged content of the file. */
  readonly text: string
  /** An error that names the file, and the line and field of `path`. */
  errorAt(path: JsonPath, what: string): SetupError
}

interface JsonFileKind {
  /** Option or argument that selects the file, for messages. */
  readonly option: string
  /** Name of the schema in schemas/, without endings, such as `run-results`. */
  readonly schema: string
  /** What is expected, or where the format is documented; follows each mistake in parentheses. */
  readonly hint: string
  /** What to do if the file does not exist; by default `hint`. */
  readonly missing?: string
  /**
   * Whether people write the file. If so, the error lists up to 20 mistakes instead of only the first. An object with
   * two members of the same name is then a mistake, because JSON.parse would silently keep only the last.
   */
  readonly isHandwritten?: boolean
  /** Converts a document of an earlier format to the format of the schema. @throws {SetupError} */
  readonly convert?: (value: unknown, fail: (what: string) => SetupError) => unknown
}

/**
 * Reads a JSON file that people or programs may have changed.
 * @throws {SetupError} with option, file, line, field, mistake, and the permitted values
 */
export function readJsonFile<T>(path: string, kind: JsonFileKind): JsonFile<T> {
  const shown = relative(process.cwd(), path) || path
  const fail = (place: string, what: string) =>
    new SetupError({ name: kind.option, what: `${shown}${place} ${what} (${kind.hint})` })
  let text: string
  try {
    text = readStoredFile(path).toString('utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && kind.missing !== undefined)
      throw new SetupError({ name: kind.option, what: `${shown} does not exist: ${kind.missing}` })
    throw fail('', code === 'ENOENT' ? 'does not exist' : `cannot be read: ${code}`)
  }
  let value: unknown
  try {
    value = parseStoredJson(text)
  } catch (error) {
    if (error instanceof JsonExcess) throw fail('', error.message)
    throw fail(...mistakeIn(text))
  }
  const errorAt = (at: JsonPath, what: string) =>
    fail(`:${lineOf(text, at)}`, `${fieldOf(at)} ${what}`.trimStart())
  if (kind.convert) value = kind.convert(value, (what) => fail('', what))
  const validate = schemaValidator(kind.schema, { allErrors: true })
  if (!validate(value)) {
    const errors = (validate.errors ?? []).slice(0, kind.isHandwritten ? maxMistakes : 1)
    throw combined(errors.map((error) => errorAt(placeOf(error), describeError(error))))
  }
  const repeated = kind.isHandwritten ? repeatedMember(text) : undefined
  if (repeated) throw errorAt(repeated, 'occurs twice')
  return { value: value as T, text, errorAt }
}

const maxMistakes = 20

export function combined(mistakes: readonly SetupError[]): SetupError {
  return new SetupError(mistakes.flatMap(({ problems }) => problems))
}

/** The path of the first member that occurs twice in one object of a JSON text. */
function repeatedMember(text: string): JsonPath | undefined {
  const paths = new Set<string>()
  let repeated: JsonPath | undefined
  visit(text, {
    onObjectProperty: (name, _offset, _length, _line, _character, pathOfObject) => {
      const path = [...pathOfObject(), name]
      const key = JSON.stringify(path)
      if (paths.has(key)) repeated ??= path
      paths.add(key)
    },
  })
  return repeated
}

/** A path as text: `waivers[0].expires`. */
function fieldOf(path: JsonPath): string {
  return path
    .map((name) => (typeof name === 'number' ? `[${name}]` : `.${name}`))
    .join('')
    .replace(/^\./, '')
}

/** The line, from 1, of a member or item, or of the nearest enclosing value that exists. */
function lineOf(text: string, path: JsonPath): number {
  const root = parseTree(text)
  for (let depth = path.length; root && depth > 0; depth -= 1) {
    const node = findNodeAtLocation(root, path.slice(0, depth) as (string | number)[])
    if (node) return lineAt(text, node.offset)
  }
  return 1
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

const mistakes: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a word that is neither quoted nor true, false or null',
  InvalidNumberFormat: 'an invalid number',
  PropertyNameExpected: 'a quoted name is missing, or there is an extra comma',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
  EndOfFileExpected: 'there is text after the end of the JSON value',
  InvalidCommentToken: 'it contains a comment',
  UnexpectedEndOfString: 'a quotation mark is missing',
  InvalidCharacter: 'a string contains an unescaped control character',
}

/** The line and the kind of the first syntax error. The message does not quote the text. */
function mistakeIn(text: string): [place: string, what: string] {
  const errors: ParseError[] = []
  parseTree(text, errors, { disallowComments: true, allowTrailingComma: false })
  const [first] = errors
  if (!first) return ['', 'is not JSON']
  return [
    `:${lineAt(text, first.offset)}`,
    `is not JSON: ${mistakes[printParseErrorCode(first.error)] ?? 'it contains an invalid character'}`,
  ]
}

/** The path of the value with an error: for an unknown member its own path, for a missing member that of its object. */
function placeOf({ instancePath, keyword, params }: ErrorObject): JsonPath {
  const names = instancePath
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((name) => (/^\d+$/.test(name) ? Number(name) : name))
  return keyword === 'additionalProperties' ? [...names, params.additionalProperty] : names
}

function describeError({ keyword, params, parentSchema, message, data }: ErrorObject): string {
  const given = (typeof data === 'string' || typeof data === 'number') && `, not ${shortened(data)}`
  const example = parentSchema?.examples?.[0]
  const exampleText = example === undefined ? '' : `, for example ${JSON.stringify(example)}`
  switch (keyword) {
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}${given || ''}`
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}${given || ''}`
    case 'required':
      return `lacks the member ${params.missingProperty}`
    case 'additionalProperties':
      return `is unknown here; the permitted members are ${Object.keys(parentSchema?.properties ?? {}).join(', ')}`
    case 'pattern':
    case 'format':
      return `must be ${parentSchema?.description ?? `a ${params.format}`}${given || ''}${exampleText}`
    case 'type':
      return `must be ${/^[aio]/.test(params.type) ? 'an' : 'a'} ${params.type}${given || ''}${exampleText}`
    case 'minLength':
      return `must have at least ${counted(params.limit, 'character')}${given || ''}${exampleText}`
    default:
      return `${message ?? 'is wrong'}${given || ''}${exampleText}`
  }
}

function shortened(value: string | number): string {
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
