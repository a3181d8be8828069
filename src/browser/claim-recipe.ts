import type { Target } from '../target/target.ts'
import { loadRecipe, type RecipeLocator, type RecipeStep, wrongRecipe } from './recipe.ts'

/** How the test user changes a claim on a page of the target; described by schemas/claim-recipe.schema.json. */
export interface ClaimRecipe {
  readonly hosts?: readonly string[]
  /** Name of the claim, where it is known. */
  readonly claim?: string
  /** Address of the page: absolute, or a path on {base_url}'s host. */
  readonly page: string
  /** Steps from that page until the field is there. */
  readonly open?: readonly RecipeStep[]
  /** Shows the present value and takes another one. */
  readonly field: RecipeLocator
  /** The value that the claim has while it is changed. */
  readonly other: string
  /** The value that it has otherwise; what is found there is put back where this is not given. */
  readonly normal?: string
  /** Steps that save what the field holds, up to a sign that it was saved. */
  readonly save: readonly RecipeStep[]
  /** How long the event may take, in seconds. */
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
 * @param target its {base_url}, against which a path alone is resolved, and its hosts, on which the page has to be
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
