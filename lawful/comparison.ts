import { type CheckResult, reasonText } from '../src/check/result.ts'
import { requirementVerdict, type Verdict } from '../src/check/verdict.ts'
import { followersOfViolations } from '../src/results/dependencies.ts'
import type { Page } from './findings-page.ts'

/** If this requirement does not pass, the run proves little about the implementation. */
const signIn = 'AUTHZ-CODE-FLOW'

/** A run compared with the page of its implementation. */
export interface PageComparison {
  /** Violated requirements that the page lists. */
  readonly expected: readonly string[]
  /** Violated requirements that the page does not list. */
  readonly unexpected: readonly string[]
  /** Requirements that the page lists as violated, but that are not. */
  readonly missing: readonly string[]
  /** Inconclusive requirements that the page lists. */
  readonly inconclusive: readonly string[]
  /** Other inconclusive requirements, which follow from a violation. */
  readonly following: readonly string[]
  /** Inconclusive requirements that neither the page nor a violation explains. */
  readonly unexplained: readonly string[]
  /** One sentence for each difference between the run and the page. */
  readonly differences: readonly string[]
}

interface Requirement {
  readonly id: string
  readonly verdict: Verdict
  readonly checks: readonly CheckResult[]
}

/** Compares the results of a run with the page of its implementation. */
export function compareWithPage(results: readonly CheckResult[], page: Page): PageComparison {
  const requirements = requirementsOf(results)
  const failed = requirements.filter(({ verdict }) => verdict === 'fail')
  const inconclusive = requirements.filter(({ verdict }) => verdict === 'inconclusive')
  const followers = followersOfViolations(requirements)
  const follows = ({ checks }: Requirement) =>
    checks.every((check) => check.verdict !== 'inconclusive' || followers.has(check))
  const mayFail = (id: string) => page.violations.has(id) || page.occasional.has(id) || page.defects.has(id)
  const mayBeInconclusive = (id: string) => page.inconclusive.has(id) || page.defects.has(id)

  const unexpected = failed.filter(({ id }) => !mayFail(id))
  const missing = [...page.violations.keys()].filter((id) => !failed.some((one) => one.id === id))
  const unexplained = inconclusive.filter((one) => !mayBeInconclusive(one.id) && !follows(one))
  const notInconclusive = [...page.inconclusive.keys()].filter(
    (id) => !inconclusive.some((one) => one.id === id),
  )
  const withoutDefect = [...page.defects.keys()].filter(
    (id) => ![...failed, ...inconclusive].some((one) => one.id === id),
  )
  const verdictOf = (id: string) => requirements.find((one) => one.id === id)?.verdict ?? 'not checked'
  const idsOf = (some: readonly Requirement[]) => some.map(({ id }) => id)
  return {
    expected: idsOf(failed.filter(({ id }) => mayFail(id))),
    unexpected: idsOf(unexpected),
    missing,
    inconclusive: idsOf(inconclusive.filter(({ id }) => mayBeInconclusive(id))),
    following: idsOf(inconclusive.filter((one) => !mayBeInconclusive(one.id) && follows(one))),
    unexplained: idsOf(unexplained),
    differences: [
      ...(verdictOf(signIn) === 'pass'
        ? []
        : [`the sign-in did not succeed: ${signIn} is ${verdictOf(signIn)}`]),
      ...unexpected.map((one) => `${one.id} is violated, but not listed on the page: ${findingsOf(one)}`),
      ...missing.map((id) => `${id} is listed as violated, but is ${verdictOf(id)}`),
      ...unexplained.map((one) => `${one.id} is inconclusive, but not listed on the page: ${reasonsOf(one)}`),
      ...notInconclusive.map((id) => `${id} is listed as inconclusive, but is ${verdictOf(id)}`),
      ...withoutDefect.map((id) => `${id} is listed as a defect of Plumbline, but is ${verdictOf(id)}`),
    ],
  }
}

function requirementsOf(results: readonly CheckResult[]): Requirement[] {
  return [...Map.groupBy(results, ({ requirement }) => requirement)].map(([id, checks]) => ({
    id,
    verdict: requirementVerdict(checks.map(({ verdict }) => verdict)),
    checks,
  }))
}

function findingsOf({ checks }: Requirement): string {
  return checks
    .flatMap(({ finding }) => finding ?? [])
    .map(({ request, expected, actual }) => `${request ?? 'the valid request'}: ${expected}, but ${actual}`)
    .join('; ')
}

function reasonsOf({ checks }: Requirement): string {
  const inconclusive = checks.filter(({ verdict }) => verdict === 'inconclusive')
  return inconclusive.map((check) => `${reasonText(check)} (${check.cause})`).join('; ')
}
