import { reasonText } from '../check/result.ts'
import { type RootCause, rootCauses } from '../results/dependencies.ts'
import { wallTime } from '../results/queries.ts'
import {
  type CheckRecord,
  type RequirementResult,
  type RunResults,
  requirementOutcome,
} from '../results/results.ts'
import { escapeMarkup } from '../text/markup.ts'
import { actionRows, findingText, recordedRows, rowsText } from './finding.ts'

/**
 * junit.xml: one suite per area, one case per check. A failed check is a failure, an inconclusive check is an error,
 * and a check that is not applicable is skipped. Each states its reason. Failures and errors also state who has to act.
 */
export function junit({ run, requirements }: RunResults): string {
  const areas = [...Map.groupBy(requirements, ({ area }) => area)]
  const name = `Plumbline ${run.target}`
  const roots = rootCauses(requirements)
  const suites = areas.map(([area, ofArea]) => suite(area, ofArea, { timestamp: run.startedAt, roots }))
  const all = { name, ...counts(requirements), time: seconds(wallTime(run) ?? 0) }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', all, suites)}\n`
}

function counts(requirements: readonly RequirementResult[]) {
  const cases = requirements.flatMap(({ verdict, checks }) =>
    checks.length === 0 ? [verdict] : checks.map((check) => check.verdict),
  )
  const count = (verdict: string) => cases.filter((other) => other === verdict).length
  return {
    tests: cases.length,
    failures: count('fail'),
    errors: count('inconclusive'),
    skipped: count('not-applicable'),
  }
}

function suite(
  name: string,
  requirements: readonly RequirementResult[],
  { timestamp, roots }: { readonly timestamp: string; readonly roots: ReturnType<typeof rootCauses> },
): string {
  const ms = requirements.flatMap(({ checks }) => checks).reduce((sum, check) => sum + check.durationMs, 0)
  const cases = requirements.flatMap((requirement) =>
    requirement.checks.length === 0
      ? [caseWithoutCheck(requirement)]
      : requirement.checks.map((check) => testCase(requirement, check, roots.get(check))),
  )
  return element('testsuite', { name, ...counts(requirements), time: seconds(ms), timestamp }, cases)
}

/** A requirement without a finished check: skipped if it has no check, an error if the run ended before its checks. */
function caseWithoutCheck(requirement: RequirementResult): string {
  const { id: classname, statement: name } = requirement
  const outcome = requirementOutcome(requirement)
  const message = outcome.reason ?? ''
  return element('testcase', { classname, name, time: seconds(0) }, [
    outcome.verdict === 'not-applicable'
      ? element('skipped', { message })
      : element('error', { type: outcome.cause ?? 'environment', message }, [
          xml(rowsText(actionRows(outcome))),
        ]),
  ])
}

function testCase(requirement: RequirementResult, check: CheckRecord, root: RootCause | undefined): string {
  const { name, file, durationMs, verdict, cause } = check
  const message = reasonText(check)
  const withRootCause = { ...check, cause: root?.cause ?? check.cause }
  const details = xml(findingText(requirement, withRootCause, undefined, root?.missing))
  const result = {
    pass: [],
    observed: [],
    fail: [element('failure', { type: cause ?? 'target', message }, [details])],
    inconclusive: [element('error', { type: cause ?? 'environment', message }, [details])],
    'not-applicable': [element('skipped', { message })],
  }[verdict]
  const output = [
    ...(verdict === 'observed' ? ['observed: recorded, not judged'] : []),
    rowsText(recordedRows(check)),
    ...check.evidence,
  ].filter((line) => line !== '')
  return element('testcase', { classname: requirement.id, name, file, time: seconds(durationMs) }, [
    ...result,
    ...(output.length === 0 ? [] : [element('system-out', {}, [xml(output.join('\n'))])]),
  ])
}

function element(
  name: string,
  values: Readonly<Record<string, string | number>>,
  children: readonly string[] = [],
): string {
  const attributes = Object.entries(values).map(
    ([key, value]) => ` ${key}="${xml(String(value)).replace(/\s/g, ' ')}"`,
  )
  return [`<${name}${attributes.join('')}>`, ...children, `</${name}>`].join('\n')
}

/** Control characters, and characters that XML 1.0 does not allow even if they are escaped. */
const unwritable = /(?![\t\n\r])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu

function xml(text: string): string {
  return escapeMarkup(text.replace(unwritable, '\ufffd'))
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}
