import { requiredPartsOf } from '../check/applicability.ts'
import { checksOf, requireChecks, select } from '../check/selection.ts'
import { loadSuites } from '../check/suites.ts'
import { embeddedClaimRecipe } from '../embedded/embedded-provider.ts'
import { type TargetOptions, targetToPlan } from '../run/chosen-target.ts'
import { embeddedCosts } from '../run/costs.ts'
import { measurementsOf } from '../run/estimate.ts'
import { planOf } from '../run/plan.ts'
import { requireValidRecipes } from '../run/session.ts'
import { planText } from './plan-text.ts'

interface PlanOptions extends TargetOptions {
  readonly only?: readonly string[]
  readonly area?: readonly string[]
}

/** `plumbline plan`: shows what `check` with the same options would do; sends nothing. */
export async function plan({ only = [], area = [], ...options }: PlanOptions): Promise<void> {
  const suites = await loadSuites()
  const selected = select(suites.requirements, { only, areas: area })
  requireChecks(selected, suites.checks)
  const checks = checksOf(selected, suites.checks)
  const required = requiredPartsOf(selected.map((one) => one.area))
  const target = targetToPlan({ ...options, required })
  // A check refuses an invalid recipe, too. That of the embedded provider is valid, and validating it takes longest.
  if (target.loginRecipe !== undefined || target.claimRecipe !== embeddedClaimRecipe)
    requireValidRecipes(target)
  const checked = new Set(checks.map(({ definition }) => definition.requirement))
  const withoutCheck = selected.filter(({ id }) => !checked.has(id)).length
  const planned = planOf(checks, target, measurementsOf(target, embeddedCosts()), withoutCheck)
  process.stdout.write(planText(planned, target, process.stdout))
}
