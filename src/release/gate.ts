import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadSuites } from '../check/suites.ts'
import { projectRoot, version } from '../project.ts'
import type { RunResults } from '../results/results.ts'
import { SetupError } from '../target/problem.ts'
import { decide } from './decide.ts'
import type { ReleaseDecision } from './decision.ts'
import { type Policy, readPolicy } from './policy.ts'
import { neededRun } from './text.ts'
import { readWaivers } from './waivers.ts'

/** The files that decide on a release. */
export interface GateFiles {
  readonly policy: string
  /** Undefined if there are no waivers. */
  readonly waivers: string | undefined
}

interface Gated {
  readonly decision: ReleaseDecision
  /** The policy file as it is. */
  readonly policy: string
  /** The list of waivers as it is. */
  readonly waivers?: string
}

/** The release policy and the waivers in the project's reports folder. */
export function projectFiles(): { readonly [Name in keyof GateFiles]: string | undefined } {
  const file = (name: string) => {
    const path = join(projectRoot, 'reports', name)
    return existsSync(path) ? path : undefined
  }
  return { policy: file('release-policy.json'), waivers: file('waivers.json') }
}

/**
 * Applies a policy and waivers to a run.
 * @throws {SetupError} with every mistake in the files
 */
export async function gateRun(results: RunResults, files: GateFiles, now: Date): Promise<Gated> {
  const { requirements } = await loadSuites()
  // A run of another version may have other requirements.
  const all = [...requirements, ...results.requirements]
  const policy = readPolicy(files.policy, [...new Set(all.map(({ area }) => area))])
  const waivers = files.waivers === undefined ? undefined : readWaivers(files.waivers)
  const decision = decide({
    results,
    policy: policy.policy,
    waivers: waivers?.waivers ?? [],
    catalogue: all,
    now,
    version,
  })
  return { decision, policy: policy.text, ...(waivers && { waivers: waivers.text }) }
}

/** The result of the project's policy for a run: its decision, or why there is none and which run would have one. */
export type PolicyAnswer =
  | {
      readonly decision: ReleaseDecision
      /** The policy file in texts; by default that of the project. */
      readonly file?: string
    }
  | {
      /** Why there is no decision. */
      readonly noDecision: string
      readonly needed?: ReturnType<typeof neededRun>
      /** The kind of runs on which the policy decides; undefined if its files contain mistakes. */
      readonly kind?: Policy['kind']
    }

/**
 * Applies the project's policy to a run as of its end, so that the reports of a run are always the same.
 * @returns undefined if the project has no policy
 */
export async function policyAnswer(results: RunResults): Promise<PolicyAnswer | undefined> {
  const { policy, waivers } = projectFiles()
  if (policy === undefined) return undefined
  const { finishedAt, startedAt } = results.run
  try {
    const { decision } = await gateRun(results, { policy, waivers }, new Date(finishedAt ?? startedAt))
    const unsuitable = decision.findings.filter(({ subject }) => subject === 'run')
    if (decision.answer !== 'no decision' || unsuitable.length === 0) return { decision }
    const noDecision = unsuitable.map(({ text }) => text).join('; ')
    // A reader of a probe run did not mean to decide.
    const { kind } = decision.policy
    return results.run.kind === kind
      ? { noDecision, needed: neededRun(decision), kind }
      : { noDecision, kind }
  } catch (error) {
    if (error instanceof SetupError)
      return {
        noDecision: 'the files of the release policy contain mistakes, which `npx plumbline gate` lists',
      }
    throw error
  }
}
