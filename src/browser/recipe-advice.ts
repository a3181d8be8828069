import type { RecipeStep } from './recipe.ts'

/**
 * The end of a reason, such as `; nothing was chosen from the list "Country"`.
 * @param lists labels of the lists without a chosen option in a submitted form
 */
export function unchosenText(lists: readonly string[]): string {
  return `; nothing was chosen from the list${lists.length === 1 ? '' : 's'} ${lists.map((label) => `"${label}"`).join(', ')}`
}

/** Advice to write a recipe with a step for each list, which chooses an option. @param lists labels */
export function choiceAdvice(lists: readonly string[]): string {
  const steps = lists.map((label) => JSON.stringify({ do: 'select', at: { label }, option: '…' }))
  return `choose from the list: write a login recipe (LOGIN_RECIPE, see docs/login-recipes.md) with the step ${steps.join(', ')} before the button is pressed`
}

/** The end of a sentence of advice: probable steps of a recipe; empty without steps. */
export function suggestionOf(steps: readonly RecipeStep[]): string {
  return steps.length === 0 ? '' : `, probably with ${steps.map((step) => JSON.stringify(step)).join(', ')}`
}
