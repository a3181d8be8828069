import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadSuites } from '../check/suites.ts'
import { projectRoot, version } from '../project.ts'
import { earlierViolations } from '../results/earlier-violations.ts'
import { judgedRequests } from '../results/judged-requests.ts'
import type { PastRun } from '../results/past-runs.ts'
import type { RunResults } from '../results/results.ts'
import { SetupError } from '../target/problem.ts'
import { decide } from './decide.ts'
import type { ReleaseDecision } from './decision.ts'
import { type Policy, readPolicy } from './policy.ts'
import { neededRun } from './text.ts'
import { readWaivers } from './waivers.ts'

export interface GateFiles {
  /** Path of the policy file. */
  readonly policy: string
  /** Path of the list of waivers; undefined if there is none. */
  readonly waivers: string | undefined
}

export interface Gated {
  readonly decision: ReleaseDecision
  /** The text of the policy file, unchanged. */
  readonly policy: string
  /** The text of the list of waivers, unchanged; absent if there is none. */
  readonly waivers?: string
}

/** Paths of the policy and the waivers in the project's reports folder; undefined for a file that does not exist. */
export function projectFiles(): { readonly [Name in keyof GateFiles]: string | undefined } {
  const file = (name: string) => {
    const path = join(projectRoot, 'reports', name)
    return existsSync(path) ? path : undefined
  }
  return { policy: file('release-policy.json'), waivers: file('waivers.json') }
}

/**
 * Applies a policy and waivers to a run.
 * @param now when the run is judged
 * @param past the runs in the same folder that began earlier, newest first
 * @throws {SetupError} with the mistakes in the files
 */
export async function gateRun(
  results: RunResults,
  files: GateFiles,
  { now, past }: { readonly now: Date; readonly past: readonly PastRun[] },
): Promise<Gated> {
  const suites = await loadSuites()
  // A run of another version may have other requirements.
  const all = [...suites.requirements, ...results.requirements]
  const policy = readPolicy(files.policy, [...new Set(all.map(({ area }) => area))])
  const waivers = files.waivers === undefined ? undefined : readWaivers(files.waivers)
  const decision = decide({
    results,
    policy: policy.policy,
    waivers: waivers?.waivers ?? [],
    catalogue: all,
    // Some checks judge requests of other checks: a violation is older only if the earlier run sent those, too.
    earlierViolations: earlierViolations(results, past, judgedRequests(suites)),
    now,
    version,
  })
  return { decision, policy: policy.text, ...(waivers && { waivers: waivers.text }) }
}

export interface PolicyDecision {
  readonly decision: ReleaseDecision
  /** The policy file, as reports name it; by default the project's policy. */
  readonly file?: string
}

/** The decision of the project's policy on a run; or why there is no decision, and which run the policy needs. */
export type PolicyAnswer =
  | PolicyDecision
  | {
      readonly noDecision: string
      readonly needed?: ReturnType<typeof neededRun>
      /** The kind of runs on which the policy decides; undefined if the policy or the waivers contain mistakes. */
      readonly kind?: Policy['kind']
    }

/**
 * Applies the project's policy to a run, as if the run had just ended: a report that is built again shows the same
 * decision.
 * @param past the runs in the same folder that began earlier, newest first
 * @returns undefined if the project has no policy
 */
export async function policyAnswer(
  results: RunResults,
  past: readonly PastRun[],
): Promise<PolicyAnswer | undefined> {
  const { policy, waivers } = projectFiles()
  if (policy === undefined) return undefined
  const { finishedAt, startedAt } = results.run
  try {
    const atEnd = { now: new Date(finishedAt ?? startedAt), past }
    const { decision } = await gateRun(results, { policy, waivers }, atEnd)
    const unsuitable = decision.findings.filter(({ subject }) => subject === 'run')
    // Either the answer is yes or no, or the run is suitable and the configuration is wrong: `decision` states that, too.
    if (decision.answer !== 'no decision' || unsuitable.length === 0) return { decision }
    const noDecision = unsuitable.map(({ text }) => text).join('; ')
    const { kind } = decision.policy
    // The report of a run of another kind, such as a probe run, names no run that the policy needs.
    return { noDecision, kind, ...(results.run.kind === kind && { needed: neededRun(decision) }) }
  } catch (error) {
    if (error instanceof SetupError)
      return {
        noDecision: 'the files of the release policy contain mistakes, which `npx plumbline gate` lists',
      }
    throw error
  }
}
