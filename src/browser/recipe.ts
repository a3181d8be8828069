import { readFileSync } from 'node:fs'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
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

const schemaFile = new URL('../../schemas/login-recipe.schema.json', import.meta.url)

/**
 * Reads and checks a login recipe.
 *
 * @param path as in LOGIN_RECIPE
 * @throws {SetupError} naming LOGIN_RECIPE, the file, the place in it, and what is allowed there
 */
export function loadLoginRecipe(path: string): LoginRecipe {
  const recipe = parse(path)
  const validate = new Ajv2020({ strict: false, verbose: true }).compile<LoginRecipe>(
    JSON.parse(readFileSync(schemaFile, 'utf8')),
  )
  if (validate(recipe)) return recipe
  // Branches of a choice complain before the choice itself does.
  const error = validate.errors?.find(({ keyword }) => keyword === 'oneOf') ?? validate.errors?.[0]
  throw wrong(path, error ? `${placeOf(error)} ${complaint(error)}` : 'it is no login recipe')
}

function parse(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw new SetupError([
      { name: 'LOGIN_RECIPE', what: `names ${path}, which cannot be read`, example: 'login-recipe.json' },
    ])
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw wrong(path, `it is not JSON: ${(error as Error).message}`)
  }
}

function wrong(path: string, what: string): SetupError {
  return new SetupError([
    {
      name: 'LOGIN_RECIPE',
      what: `names ${path}, which is no login recipe: ${what} (see docs/login-recipes.md)`,
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
