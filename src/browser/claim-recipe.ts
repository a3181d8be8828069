import type { Target } from '../target/target.ts'
import { loadRecipe, type RecipeLocator, type RecipeStep, wrongRecipe } from './recipe.ts'

/** How the test user changes a claim on a page of the target; described by schemas/claim-recipe.schema.json. */
export interface ClaimRecipe {
  readonly hosts?: readonly string[]
  /** Name of the claim, if known. */
  readonly claim?: string
  /** Address of the page: absolute, or a path on {base_url}'s host. */
  readonly page: string
  /** Steps from `page` to the field. */
  readonly open?: readonly RecipeStep[]
  readonly field: RecipeLocator
  /** The new value of the claim. */
  readonly other: string
  /** The value to restore; by default the value before the change. */
  readonly normal?: string
  /** Steps that save the field, and wait for a sign of success. */
  readonly save: readonly RecipeStep[]
  /** Longest wait for the event, in seconds. */
  readonly eventWithinSeconds?: number
}

const claimRecipes = {
  variable: 'CLAIM_RECIPE',
  what: 'claim-change recipe',
  documentation: 'docs/claim-change.md',
  schema: 'claim-recipe',
} as const

/**
 * Reads and checks a claim-change recipe.
 * @param target `issuer` resolves a relative page; `hosts` are the permitted hosts of the page
 * @throws {SetupError} see `loadRecipe`
 */
export function loadClaimRecipe(
  path: string,
  { issuer, hosts }: Pick<Target, 'issuer' | 'hosts'>,
): ClaimRecipe & { readonly url: URL } {
  const recipe = loadRecipe<ClaimRecipe>(path, claimRecipes)
  const wrong = (what: string) => wrongRecipe(path, claimRecipes, what)
  const url = URL.parse(recipe.page, issuer)
  if (!url) throw wrong('page must be an address such as https://login.example.com/account')
  const host = url.host || url.protocol
  if (!hosts.includes(host))
    throw wrong(`page is on ${host}, but must be on a host of the target: ${hosts.join(', ')}`)
  if (recipe.normal === recipe.other) throw wrong('normal and other must be different values')
  return { ...recipe, url }
}
