import { relative } from 'node:path'
import type { ReleaseDecision } from '../release/decision.ts'
import { type GateFiles, gateRun, projectFiles } from '../release/gate.ts'
import { policyName } from '../release/policy.ts'
import { decisionMarkdown, decisionText } from '../release/text.ts'
import { answerOf } from '../report/answer.ts'
import { nextSteps } from '../report/next-steps.ts'
import type { RecordContents } from '../report/release-record.ts'
import { runsBefore, runsIn } from '../results/past-runs.ts'
import type { RunResults } from '../results/results.ts'
import { openRun } from '../results/saved-run.ts'
import { reportDirectory } from '../run/report-directory.ts'
import { SetupError } from '../target/problem.ts'
import { minuteOf } from '../text/format.ts'
import { type FormatOptions, oneFormat, print } from './options.ts'

interface GateOptions extends FormatOptions {
  readonly policy?: string
  readonly waivers?: string
  readonly record?: string
}

/** `plumbline gate`: exits with 0 for yes, 1 if a violation makes the answer no, otherwise 2. */
export async function gate(run: string | undefined, options: GateOptions): Promise<void> {
  oneFormat(options)
  const saved = openRun(reportDirectory(), run)
  const files = filesOf(options)
  const record = options.record === undefined ? undefined : await recordIn(options.record)
  const { decision, ...texts } = await gateRun(saved.results, files, {
    now: new Date(),
    past: runsBefore(saved.directory),
  })
  const relativePolicy = relative(process.cwd(), files.policy)
  const shownPolicy = relativePolicy.startsWith('..') ? files.policy : relativePolicy
  const answer = answerOf(saved.results, { decision })
  const runTexts = {
    notice: answer.notice,
    offByDefault: answer.offByDefault,
    // An id selects a run only in REPORT_DIR. If the user gave a path, the next steps repeat the path.
    next: nextSteps(saved.results, decision, run?.includes('/') ? run : undefined),
  }
  print(options, decision, {
    markdown: (one) => decisionMarkdown(one, shownPolicy, runTexts),
    text: (one, stream) => decisionText(one, stream, shownPolicy, runTexts),
  })
  if (!options.json && !options.markdown) {
    const newest = decision.release ? undefined : newestCompleteRun(decision)
    if (newest !== undefined)
      console.log(
        `Newest complete ${decision.policy.kind} run of ${decision.policy.target}, started ${minuteOf(newest.startedAt ?? '')}:\n  npx plumbline gate ${newest.id}`,
      )
  }
  // The record comes last: if it cannot be written, the decision has been printed and stays valid.
  await record?.write({ run: saved, decision, ...texts })
  if (record && !options.json && !options.markdown)
    console.log(`Record: ${relative(process.cwd(), record.directory) || '.'}`)
  process.exitCode = decision.exitCode
}

/** Prepares the release record. @throws {SetupError} if its folder cannot be written */
async function recordIn(directory: string) {
  const { requireRecordable, writeRecord } = await import('../report/release-record.ts')
  requireRecordable(directory)
  return { directory, write: (contents: RecordContents) => writeRecord(directory, contents) }
}

/**
 * The newest complete run of the policy's target and kind that selects all requirements. Undefined if there is none, or
 * if the judged run has these properties itself.
 */
function newestCompleteRun({ run, policy }: ReleaseDecision): Partial<RunResults['run']> | undefined {
  const fits = (one: Partial<RunResults['run']> = {}) =>
    one.target === policy.target &&
    one.kind === policy.kind &&
    one.completed === true &&
    one.selection?.only.length === 0 &&
    one.selection.areas.length === 0
  if (fits(run)) return undefined
  const runs = runsIn(reportDirectory()).filter((one) => one.mayHaveTarget(policy.target))
  return runs.find(({ head }) => fits(head.run))?.head.run
}

/** @throws {SetupError} if there is no policy */
function filesOf(options: GateOptions): GateFiles {
  const project = projectFiles()
  const policy = options.policy ?? project.policy
  if (policy !== undefined) return { policy, waivers: options.waivers ?? project.waivers }
  throw new SetupError({
    name: '--policy',
    what: `is not given, and there is no ${policyName} (see docs/gating.md)`,
    example: policyName,
  })
}
