import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { loadSuites } from '../check/suites.ts'
import { projectRoot, version } from '../project.ts'
import { decide } from '../release/decide.ts'
import { decisionMarkdown } from '../release/markdown.ts'
import { readPolicy } from '../release/policy.ts'
import { decisionText } from '../release/terminal.ts'
import { readWaivers } from '../release/waivers.ts'
import { openRun } from '../results/saved-run.ts'
import { reportDirectory } from '../run/chosen-target.ts'
import { SetupError } from '../target/problem.ts'
import { type FormatOptions, oneFormat, print } from './options.ts'

interface GateOptions extends FormatOptions {
  readonly policy?: string
  readonly waivers?: string
  readonly record?: string
}

/** `plumbline gate`: exits with 0 for yes, 1 for no because of a violation, 2 for no because something is inconclusive. */
export async function gate(run: string | undefined, options: GateOptions): Promise<void> {
  oneFormat(options)
  const saved = openRun(reportDirectory(), run)
  const { requirements } = await loadSuites()
  // A run of another version may have other requirements.
  const all = [...requirements, ...saved.results.requirements]
  const policy = readPolicy(policyFile(options), [...new Set(all.map(({ area }) => area))])
  const waiversFile = options.waivers ?? ours('waivers.json')
  const waivers = waiversFile === undefined ? undefined : readWaivers(waiversFile)
  const decision = decide({
    results: saved.results,
    policy: policy.policy,
    waivers: waivers?.waivers ?? [],
    known: all.map(({ id }) => id),
    now: new Date(),
    version,
  })
  if (options.record !== undefined) {
    const { writeRecord } = await import('../release/record.ts')
    await writeRecord(options.record, {
      run: saved,
      decision,
      policy: policy.text,
      ...(waivers && { waivers: waivers.text }),
    })
  }
  print(options, decision, { markdown: decisionMarkdown, text: decisionText })
  if (options.record !== undefined && !options.json && !options.markdown)
    console.log(`Record: ${relative(process.cwd(), options.record) || '.'}`)
  process.exitCode = decision.exitCode
}

/** @throws {SetupError} if there is no policy */
function policyFile({ policy }: GateOptions): string {
  const file = policy ?? ours('release-policy.json')
  if (file !== undefined) return file
  throw new SetupError([
    {
      name: '--policy',
      what: 'is not given, and there is no reports/release-policy.json (see docs/gating.md)',
      example: 'reports/release-policy.json',
    },
  ])
}

/** The path of a file in the project's reports folder, if it exists. */
function ours(name: string): string | undefined {
  const file = join(projectRoot, 'reports', name)
  return existsSync(file) ? file : undefined
}
