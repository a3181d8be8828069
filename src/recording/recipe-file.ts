import { accessSync, constants, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, parse } from 'node:path'
import { type LoginRecipe, loadLoginRecipe } from '../browser/index.ts'
import { writeAtomically } from '../results/run-directory.ts'
import { SetupError } from '../target/problem.ts'

interface RecipeFileOptions {
  readonly force: boolean
  /** Only the steps to cancel are recorded, and go with what the file says of the rest. */
  readonly cancel: boolean
}

/**
 * What a file holds that a recording leaves alone.
 * @returns an empty recipe where there is no file
 * @throws {SetupError} where the file cannot be written, or holds already what is to be recorded
 */
export function keptParts(path: string, { force, cancel }: RecipeFileOptions): LoginRecipe {
  const directory = dirname(path)
  try {
    if (!statSync(directory).isDirectory()) throw new Error('no directory')
    accessSync(directory, constants.W_OK)
  } catch {
    throw outError(`${path} cannot be written: ${directory} is no directory that can be written to`)
  }
  if (!existsSync(path)) return {}
  if (!cancel && !force) throw outError(`${path} exists already; --force replaces what it says of the login`)
  const recipe = loadLoginRecipe(path)
  if (cancel && recipe.cancel && !force)
    throw outError(`${path} says how to cancel already; --force replaces that`)
  if (cancel) return recipe
  const { signIn: _, consent: _c, loginPage: _l, consentPage: _p, ...kept } = recipe
  return kept
}

/** Writes a recipe in one go. @returns the path */
export function writeRecipe(path: string, recipe: LoginRecipe): string {
  writeAtomically(path, formatRecipe(recipe))
  return path
}

/** Where a recipe goes that did not pass its trial. */
export function unprovedPath(path: string): string {
  const { dir, name, ext } = parse(path)
  return join(dir, `${name}.unproved${ext}`)
}

/** A recipe in a file for as long as `use` needs it. */
export async function withRecipeFile<T>(recipe: LoginRecipe, use: (path: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'plumbline-recipe-'))
  try {
    return await use(writeRecipe(join(directory, 'login-recipe.json'), recipe))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

function outError(what: string): SetupError {
  return new SetupError([{ name: '--out', what }])
}

/** Steps on a line each, as the documentation shows them. */
function formatRecipe(recipe: LoginRecipe): string {
  const members = Object.entries(recipe).map(([name, value]) => {
    const items = Array.isArray(value) && value.map((item) => `    ${onOneLine(item)}`).join(',\n')
    return `  ${JSON.stringify(name)}: ${items === false ? onOneLine(value) : `[\n${items}\n  ]`}`
  })
  return `{\n${members.join(',\n')}\n}\n`
}

/** JSON with spaces, on one line. */
function onOneLine(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${onOneLine(member)}`,
  )
  return `{ ${members.join(', ')} }`
}
