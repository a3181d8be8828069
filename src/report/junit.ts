import { join } from 'node:path'
import { reasonText } from '../check/result.ts'
import { basisOf, wallTime } from '../results/queries.ts'
import type { CheckRecord, RequirementResult, RunResults } from '../results/results.ts'
import { runFiles, writeAtomically } from '../results/run-directory.ts'
import { escapeMarkup } from '../text/markup.ts'
import { findingLines } from './finding.ts'

/** What XML 1.0 cannot write, escaped or not, and control characters nobody wants to read. */
const unwritable = /(?![\t\n\r])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu

function xml(text: string): string {
  return escapeMarkup(text.replace(unwritable, '\ufffd'))
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${xml(String(value)).replace(/\s/g, ' ')}"`)
    .join('')
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}

/**
 * junit.xml: a suite an area, a case a check. A violation is a failure, an undecided check an error,
 * one that does not apply is skipped; each with its reason.
 */
export function junit(run: RunResults): string {
  const areas = Map.groupBy(run.requirements, (requirement) => requirement.area)
  const suites = [...areas].map(([area, requirements]) => suite(area, requirements, run.run.startedAt))
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({
      name: `Plumbline ${run.run.target}`,
      ...counts(run.requirements),
      time: seconds(wallTime(run.run) ?? 0),
    })}>`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n')
}

/** Writes junit.xml of a run into its directory. */
export function writeJunit(runDirectory: string, run: RunResults): void {
  writeAtomically(join(runDirectory, runFiles.junit), junit(run))
}

function counts(requirements: readonly RequirementResult[]) {
  const cases = requirements.flatMap((requirement) =>
    requirement.checks.length === 0
      ? [requirement.verdict]
      : requirement.checks.map((check) => check.verdict),
  )
  const of = (verdict: string) => cases.filter((other) => other === verdict).length
  return {
    tests: cases.length,
    failures: of('fail'),
    errors: of('inconclusive'),
    skipped: of('not-applicable'),
  }
}

function suite(area: string, requirements: readonly RequirementResult[], timestamp: string): string {
  const time = requirements
    .flatMap((requirement) => requirement.checks)
    .reduce((sum, check) => sum + check.durationMs, 0)
  return [
    `  <testsuite${attributes({ name: area, ...counts(requirements), time: seconds(time), timestamp })}>`,
    ...requirements.flatMap((requirement) =>
      requirement.checks.length === 0
        ? [unchecked(requirement)]
        : requirement.checks.map((check) => testCase(requirement, check)),
    ),
    '  </testsuite>',
  ].join('\n')
}

/** A requirement without a finished check: skipped where it has none, undecided where the run did not come to it. */
function unchecked(requirement: RequirementResult): string {
  const open = `    <testcase${attributes({ classname: requirement.id, name: requirement.statement, time: '0.000' })}>`
  const child =
    requirement.verdict === 'not-applicable'
      ? element('skipped', { message: requirement.reason ?? '' })
      : element('error', { type: 'environment', message: 'the run ended before its checks did' })
  return [open, child, '    </testcase>'].join('\n')
}

function testCase(requirement: RequirementResult, check: CheckRecord): string {
  const { id, section, statement } = requirement
  const message = reasonText(check)
  const finding = [
    `${id}, ${section}: ${statement}`,
    ...findingLines(check).map(([label, text]) => `${label}: ${text}`),
    `repeat: ${check.reproduce}`,
  ].join('\n')
  const outcome = {
    pass: [],
    observed: [],
    fail: [element('failure', { type: check.cause ?? 'target', message }, finding)],
    inconclusive: [element('error', { type: check.cause ?? 'environment', message }, finding)],
    'not-applicable': [element('skipped', { message })],
  }[check.verdict]
  const basis = basisOf(check)
  const output = [
    ...(check.verdict === 'observed' ? ['observed: the specification is silent here'] : []),
    ...check.notes.map((note) => `note: ${note.text}`),
    ...(basis === '' ? [] : [`rests on ${basis}`]),
    ...check.evidence,
  ]
  return [
    `    <testcase${attributes({
      classname: id,
      name: check.name,
      file: check.file,
      time: seconds(check.durationMs),
    })}>`,
    ...outcome,
    ...(output.length === 0 ? [] : [element('system-out', {}, output.join('\n'))]),
    '    </testcase>',
  ].join('\n')
}

function element(name: string, values: Readonly<Record<string, string>>, text = ''): string {
  return `      <${name}${attributes(values)}>${xml(text)}</${name}>`
}
