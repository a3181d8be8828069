import { readFileSync } from 'node:fs'
import type { ErrorObject } from 'ajv/dist/2020.js'
import { SetupError } from '../target/problem.ts'
import { schemaValidator } from '../text/json-schema.ts'

/** One element of a page: exactly one of role, label, placeholder, text, testId and css. */
export interface RecipeLocator {
  readonly role?: string
  readonly name?: string
  readonly label?: string
  readonly placeholder?: string
  readonly text?: string
  readonly testId?: string
  readonly css?: string
  readonly exact?: boolean
  readonly frame?: string
}

interface AnyStep {
  readonly at: RecipeLocator
  readonly optional?: boolean
  readonly timeoutMs?: number
}

export type RecipeStep = AnyStep &
  (
    | { readonly do: 'fill'; readonly value: 'username' | 'password' }
    | { readonly do: 'totp' | 'click' | 'wait' }
    | { readonly do: 'press'; readonly key: string }
    | { readonly do: 'select'; readonly option: string }
  )

export type SequenceName = 'signIn' | 'consent' | 'cancel'

/** How to use login pages; described by schemas/login-recipe.schema.json. */
export interface LoginRecipe extends Partial<Readonly<Record<SequenceName, readonly RecipeStep[]>>> {
  readonly hosts?: readonly string[]
  /** Whether pages load images, fonts and media; no by default. */
  readonly loadImages?: boolean
  readonly loginPage?: RecipeLocator
  readonly consentPage?: RecipeLocator
}

/** Variables with the path of a recipe. */
export type RecipeVariable = 'LOGIN_RECIPE' | 'CLAIM_RECIPE'

/** A kind of recipe: its name in messages and its documentation. */
interface RecipeKind {
  readonly variable: RecipeVariable
  readonly what: string
  readonly documentation: string
  /** Name of the file in `schemas/` without `.schema.json`, and of the example file. */
  readonly schema: string
}

const loginRecipes: RecipeKind = {
  variable: 'LOGIN_RECIPE',
  what: 'login recipe',
  documentation: 'docs/login-recipes.md',
  schema: 'login-recipe',
}

/** Reads and checks a login recipe. @throws {SetupError} see `loadRecipe` */
export function loadLoginRecipe(path: string): LoginRecipe {
  return loadRecipe(path, loginRecipes)
}

/**
 * Reads and checks a recipe of any kind.
 * @throws {SetupError} with the variable, the file, the place in the file, and what is allowed there
 */
export function loadRecipe<T>(path: string, kind: RecipeKind): T {
  const recipe = parse(path, kind)
  const references = kind.schema === loginRecipes.schema ? [] : [loginRecipes.schema]
  const validate = schemaValidator(kind.schema, { references })
  if (validate(recipe)) return recipe as T
  // Ajv lists the errors of all alternatives before the error of oneOf, which is the helpful one.
  const error = validate.errors?.find(({ keyword }) => keyword === 'oneOf') ?? validate.errors?.[0]
  throw wrongRecipe(
    path,
    kind,
    error ? `${placeOf(error)} ${complaint(error)}` : 'the recipe does not match its schema',
  )
}

function parse(path: string, kind: RecipeKind): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    const what = `points to ${path}, which cannot be read`
    throw new SetupError({ name: kind.variable, what, example: `${kind.schema}.json` })
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw wrongRecipe(path, kind, `it is not JSON: ${(error as Error).message}`)
  }
}

/** The error for an invalid recipe, with a reference to its documentation. */
export function wrongRecipe(path: string, kind: RecipeKind, what: string): SetupError {
  const sentence = `points to ${path}, which is not a valid ${kind.what}: ${what}`
  return new SetupError({ name: kind.variable, what: sentence, advice: `see ${kind.documentation}` })
}

/** Converts `/signIn/2/at` to `signIn[2].at`. */
function placeOf({ instancePath }: ErrorObject): string {
  const place = instancePath.slice(1).replaceAll(/\/(\d+)/g, '[$1]')
  return place.replaceAll('/', '.') || 'the recipe'
}

function complaint({ keyword, params, parentSchema, message, data }: ErrorObject): string {
  const given = typeof data === 'string' && keyword === 'enum' ? `, not '${data.slice(0, 40)}'` : ''
  switch (keyword) {
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}${given}`
    case 'required':
      return `needs the member '${params.missingProperty}'`
    case 'additionalProperties':
      return `has the unknown member '${params.additionalProperty}'; allowed are ${Object.keys(parentSchema?.properties ?? {}).join(', ')}`
    case 'oneOf':
      return 'must have exactly one of role, label, placeholder, text, testId, css'
    case 'dependentRequired':
      return `has '${params.property}', which also needs '${params.deps}'`
    case 'pattern':
      return 'must be a host such as login.example.com or login.example.com:8443'
    default:
      return message ?? 'is wrong'
  }
}
