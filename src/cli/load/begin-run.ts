import { nameOf } from '../../../load/probe-check.ts'
import { limitValues, type ProbeResult } from '../../../load/result.ts'
import { loadSuites, type SuiteCheck } from '../../check/suites.ts'
import { version } from '../../project.ts'
import { ResultsFile, type SelectedRequirement } from '../../results/results-file.ts'
import { createRunDirectory, newRunId } from '../../results/run-directory.ts'
import type { TargetName } from '../../target/profiles.ts'

interface RunToBe {
  readonly probes: readonly Pick<ProbeResult, 'probe' | 'endpoint'>[]
  readonly target: TargetName
  readonly hosts: readonly string[]
  readonly reportDir: string
  readonly requestCap: number
  readonly loginCap: number
  /** Checks of the suites that look back at what the probes met. */
  readonly judged: readonly SuiteCheck[]
}

/** Begins a run of probes: its directory, with a results.json that knows what is to come. */
export async function beginRun(options: RunToBe): Promise<ResultsFile> {
  const { target, hosts, requestCap, loginCap } = options
  const startedAt = new Date()
  const id = newRunId(target, startedAt)
  const directory = createRunDirectory(options.reportDir, id)
  const facts = {
    id,
    kind: 'probe' as const,
    target,
    hosts,
    startedAt: startedAt.toISOString(),
    version,
    selection: { only: [], areas: [] },
    requestCap,
    loginCap,
  }
  return new ResultsFile(directory, facts, await selected(options))
}

async function selected({ probes, judged }: RunToBe): Promise<SelectedRequirement[]> {
  const { requirements } = await loadSuites()
  return requirements.flatMap(({ id, area, section, level, statement }) => {
    const checks =
      id === limitValues
        ? probes.map(nameOf)
        : judged.flatMap(({ definition }) => (definition.requirement === id ? [definition.name] : []))
    return checks.length === 0 ? [] : [{ id, area, section, level, statement, reason: null, checks }]
  })
}
