import type { RecipeStep } from './recipe.ts'

/** That a form was sent without a choice, as the end of a reason. */
export function unchosenText(lists: readonly string[]): string {
  return `; nothing was chosen from the list${lists.length === 1 ? '' : 's'} ${lists.map((label) => `"${label}"`).join(', ')}`
}

/** The steps of a recipe that choose from lists, as an imperative. */
export function choiceAdvice(lists: readonly string[]): string {
  const steps = lists.map((label) => JSON.stringify({ do: 'select', at: { label }, option: '…' }))
  return `choose from the list: write a login recipe (LOGIN_RECIPE, see docs/login-recipes.md) with the step ${steps.join(', ')} before the button is pressed`
}

/** Steps of a recipe as the end of a sentence of advice; empty without steps. */
export function suggestionOf(steps: readonly RecipeStep[]): string {
  return steps.length === 0 ? '' : `, probably with ${steps.map((step) => JSON.stringify(step)).join(', ')}`
}
