import { probably } from '../browser/index.ts'
import type { Landing } from './landing.ts'
import { Inconclusive } from './verdict.ts'

/** Why a request that must return to the application did not: it ended at a page whose buttons no keyword names. */
export function unrecognised({ description }: Extract<Landing, { kind: 'page' }>): Inconclusive {
  const { shown = '', steps = [] } = description ?? {}
  const reason = `Plumbline does not recognise a page with buttons${shown && `; it shows ${shown}`}`
  return new Inconclusive(reason, {
    variables: ['LOGIN_RECIPE'],
    advice: `describe it in a login recipe (LOGIN_RECIPE, see docs/login-recipes.md)${probably(steps)}`,
  })
}
