import { loadClaimRecipe } from '../browser/claim-recipe.ts'
import { loadLoginRecipe } from '../browser/recipe.ts'
import { SetupError } from '../target/problem.ts'
import { hostOfProduction } from '../target/safety.ts'
import type { Target } from '../target/target.ts'

/**
 * The hosts that the browser can load: the hosts of the target and of its recipes.
 * @throws {SetupError} if a recipe is not valid, or if the target is not production and PRODUCTION_HOSTS lists a host
 */
export function browserHosts(target: Target): readonly string[] {
  const { name, loginRecipe, claimRecipe } = target
  const recipes = [
    ...(loginRecipe === undefined ? [] : [loadLoginRecipe(loginRecipe)]),
    ...(claimRecipe === undefined ? [] : [loadClaimRecipe(claimRecipe, target)]),
  ]
  const hosts = [...target.hosts, ...recipes.flatMap(({ hosts }) => hosts ?? [])]
  const forbidden = hostOfProduction(target, hosts)
  if (forbidden === undefined) return hosts
  throw new SetupError({
    name: 'TARGET',
    what: `is ${name}, but ${forbidden}, which a recipe or --host adds, is listed in PRODUCTION_HOSTS`,
    variables: ['TARGET', 'PRODUCTION_HOSTS'],
    advice: 'remove that host, or use --target production',
  })
}
