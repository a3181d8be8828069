import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, parse } from 'node:path'
import { type LoginRecipe, loadLoginRecipe } from '../browser/index.ts'
import { writeAtomically } from '../results/write-atomically.ts'
import { SetupError } from '../target/problem.ts'

interface RecipeFileOptions {
  readonly force: boolean
  /** Only the steps to cancel are recorded; the other parts of the file are kept. */
  readonly cancel: boolean
}

/**
 * The parts of a recipe file that a recording does not replace. Creates its directory, so that a path which cannot be
 * written fails before the login.
 * @returns an empty recipe if there is no file
 * @throws {SetupError} if the file cannot be written, or already contains the parts to record
 */
export function keptParts(path: string, { force, cancel }: RecipeFileOptions): LoginRecipe {
  const directory = dirname(path)
  try {
    mkdirSync(directory, { recursive: true })
    accessSync(directory, constants.W_OK)
  } catch {
    throw outError(`${path} cannot be written: ${directory} is not a writable directory`)
  }
  if (!existsSync(path)) return {}
  if (!cancel && !force) throw outError(`${path} already exists; --force replaces its sign-in steps`)
  const recipe = loadLoginRecipe(path)
  if (cancel && recipe.cancel && !force)
    throw outError(`${path} already contains steps to cancel; --force replaces them`)
  if (cancel) return recipe
  const { signIn: _, consent: _c, loginPage: _l, consentPage: _p, ...kept } = recipe
  return kept
}

/** Writes a recipe atomically. @returns the path */
export function writeRecipe(path: string, recipe: LoginRecipe): string {
  writeAtomically(path, formatRecipe(recipe), 'free some space, or choose another path')
  return path
}

/** The path for a recipe that is not verified. */
export function unverifiedPath(path: string): string {
  const { dir, name, ext } = parse(path)
  return join(dir, `${name}.unproved${ext}`)
}

/** Writes a recipe to a temporary file, which is removed after `use`. */
export async function withRecipeFile<T>(recipe: LoginRecipe, use: (path: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'plumbline-recipe-'))
  try {
    return await use(writeRecipe(join(directory, 'login-recipe.json'), recipe))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

function outError(what: string): SetupError {
  return new SetupError({ name: '--out', what })
}

/** A recipe with one step per line, as in the documentation. */
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
