import { type CheckResult, reasonText } from '../src/check/result.ts'
import { requirementVerdict, type Verdict } from '../src/check/verdict.ts'
import { followersOfViolations } from '../src/results/dependencies.ts'
import type { Page } from './findings-page.ts'

/** Without this requirement, a run says little about its implementation. */
const signIn = 'AUTHZ-CODE-FLOW'

/** A run compared with the page of its implementation. */
export interface PageComparison {
  /** Requirements of the page that are violated. */
  readonly expected: readonly string[]
  /** Violated requirements that the page does not list. */
  readonly unexpected: readonly string[]
  /** Requirements that the page lists as violated, and that are not. */
  readonly missing: readonly string[]
  /** Inconclusive requirements that the page lists. */
  readonly inconclusive: readonly string[]
  /** Inconclusive requirements that depend on a violation. */
  readonly following: readonly string[]
  /** Inconclusive requirements that are neither. */
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
  const inconclusiveOnes = requirements.filter(({ verdict }) => verdict === 'inconclusive')
  const followers = followersOfViolations(requirements)
  const follows = ({ checks }: Requirement) =>
    checks.every((check) => check.verdict !== 'inconclusive' || followers.has(check))
  const mayFail = (id: string) => page.violations.has(id) || page.occasional.has(id) || page.defects.has(id)
  const mayBeInconclusive = (id: string) => page.inconclusive.has(id) || page.defects.has(id)

  const unexpected = failed.filter(({ id }) => !mayFail(id))
  const missing = [...page.violations.keys()].filter((id) => !failed.some((one) => one.id === id))
  const unexplained = inconclusiveOnes.filter((one) => !mayBeInconclusive(one.id) && !follows(one))
  const decided = [...page.inconclusive.keys()].filter((id) => !inconclusiveOnes.some((one) => one.id === id))
  const ended = [...page.defects.keys()].filter(
    (id) => ![...failed, ...inconclusiveOnes].some((one) => one.id === id),
  )
  const found = (id: string) => requirements.find((one) => one.id === id)?.verdict ?? 'not checked'
  const idsOf = (those: readonly Requirement[]) => those.map(({ id }) => id)
  return {
    expected: idsOf(failed.filter(({ id }) => mayFail(id))),
    unexpected: idsOf(unexpected),
    missing,
    inconclusive: idsOf(inconclusiveOnes.filter(({ id }) => mayBeInconclusive(id))),
    following: idsOf(inconclusiveOnes.filter((one) => !mayBeInconclusive(one.id) && follows(one))),
    unexplained: idsOf(unexplained),
    differences: [
      ...(found(signIn) === 'pass' ? [] : [`the sign-in did not succeed: ${signIn} is ${found(signIn)}`]),
      ...unexpected.map((one) => `${one.id} is violated, which the page does not list: ${findingsOf(one)}`),
      ...missing.map((id) => `${id} is listed as violated, but is ${found(id)}`),
      ...unexplained.map(
        (one) => `${one.id} is inconclusive, which the page does not list: ${reasonsOf(one)}`,
      ),
      ...decided.map((id) => `${id} is listed as inconclusive, but is ${found(id)}`),
      ...ended.map((id) => `${id} is listed as a defect of Plumbline, but is ${found(id)}`),
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
