import { readFileSync } from 'node:fs'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { SetupError } from '../target/problem.ts'

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

/** How somebody's login pages are used; described by schemas/login-recipe.schema.json. */
export interface LoginRecipe extends Partial<Readonly<Record<SequenceName, readonly RecipeStep[]>>> {
  readonly hosts?: readonly string[]
  readonly loginPage?: RecipeLocator
  readonly consentPage?: RecipeLocator
}

const loginSchema = schemaOf('login-recipe')

/** One kind of recipe: what its messages call it, and what describes it. */
export interface RecipeKind {
  /** That names the file. */
  readonly variable: string
  readonly what: string
  readonly example: string
  readonly documentation: string
  readonly schema: object
}

const loginRecipes: RecipeKind = {
  variable: 'LOGIN_RECIPE',
  what: 'login recipe',
  example: 'login-recipe.json',
  documentation: 'docs/login-recipes.md',
  schema: loginSchema,
}

/** @param name of a file in schemas/, without its endings */
export function schemaOf(name: string): object {
  return JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8'))
}

/**
 * Reads and checks a login recipe.
 *
 * @param path as in LOGIN_RECIPE
 * @throws {SetupError} naming LOGIN_RECIPE, the file, the place in it, and what is allowed there
 */
export function loadLoginRecipe(path: string): LoginRecipe {
  return loadRecipe(path, loginRecipes)
}

/**
 * Reads and checks a recipe of any kind. Its schema may point into that of login recipes.
 *
 * @throws {SetupError} naming the variable, the file, the place in it, and what is allowed there
 */
export function loadRecipe<T>(path: string, kind: RecipeKind): T {
  const recipe = parse(path, kind)
  const validate = validatorOf(kind)
  if (validate(recipe)) return recipe as T
  // Branches of a choice complain before the choice itself does.
  const error = validate.errors?.find(({ keyword }) => keyword === 'oneOf') ?? validate.errors?.[0]
  throw wrongRecipe(
    path,
    kind,
    error ? `${placeOf(error)} ${complaint(error)}` : 'it does not fit its schema',
  )
}

const validators = new Map<RecipeKind, ValidateFunction>()

/** Compiled once for each kind: compiling takes longer than everything else about a recipe. */
function validatorOf(kind: RecipeKind): ValidateFunction {
  const known = validators.get(kind)
  if (known) return known
  const ajv = new Ajv2020({ strict: false, verbose: true })
  if (kind.schema !== loginSchema) ajv.addSchema(loginSchema)
  const validator = ajv.compile(kind.schema)
  validators.set(kind, validator)
  return validator
}

function parse(path: string, kind: RecipeKind): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw new SetupError([
      { name: kind.variable, what: `names ${path}, which cannot be read`, example: kind.example },
    ])
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw wrongRecipe(path, kind, `it is not JSON: ${(error as Error).message}`)
  }
}

/** What is wrong with a recipe, and where to read about it. */
export function wrongRecipe(path: string, kind: RecipeKind, what: string): SetupError {
  return new SetupError([
    {
      name: kind.variable,
      what: `names ${path}, which is no ${kind.what}: ${what} (see ${kind.documentation})`,
    },
  ])
}

/** `/signIn/2/at` as people write it: signIn[2].at. */
function placeOf({ instancePath }: ErrorObject): string {
  const place = instancePath
    .slice(1)
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.')
  return place === '' ? 'the recipe' : place
}

function complaint({ keyword, params, parentSchema, message, data }: ErrorObject): string {
  const given = typeof data === 'string' && keyword === 'enum' ? `, not '${data.slice(0, 40)}'` : ''
  switch (keyword) {
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}${given}`
    case 'required':
      return `needs the member '${params.missingProperty}'`
    case 'additionalProperties':
      return `has the unknown member '${params.additionalProperty}'; allowed are ${membersOf(parentSchema)}`
    case 'oneOf':
      return 'must have exactly one of role, label, placeholder, text, testId, css'
    case 'dependentRequired':
      return `has '${params.property}', which needs '${params.deps}' beside it`
    case 'pattern':
      return 'must be a host such as login.example.com or login.example.com:8443'
    default:
      return message ?? 'is wrong'
  }
}

function membersOf(schema: ErrorObject['parentSchema']): string {
  return Object.keys(schema?.properties ?? {}).join(', ')
}
