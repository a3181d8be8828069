import { limitValues, nameOf, type ProbeResult } from '../../../load/result.ts'
import { loadSuites, type SuiteCheck } from '../../check/suites.ts'
import { newRun } from '../../results/new-run.ts'
import type { ResultsFile, RunFacts } from '../../results/results-file.ts'

interface ProbeRunOptions extends Pick<RunFacts, 'target' | 'hosts' | 'requestCap' | 'loginCap'> {
  readonly probes: readonly Pick<ProbeResult, 'probe' | 'endpoint'>[]
  readonly reportDir: string
  /** Checks of the suites that judge the 429 responses to the probes. */
  readonly judging: readonly SuiteCheck[]
}

/** Creates the directory of a probe run, with a results.json that lists its checks. */
export async function beginRun(options: ProbeRunOptions): Promise<ResultsFile> {
  const { probes, judging, reportDir, ...rest } = options
  const { requirements } = await loadSuites()
  const selected = requirements.flatMap(({ id, area, section, level, statement }) => {
    const checks =
      id === limitValues
        ? probes.map(nameOf)
        : judging.flatMap(({ definition }) => (definition.requirement === id ? [definition.name] : []))
    return checks.length === 0 ? [] : [{ id, area, section, level, statement, reason: null, checks }]
  })
  return newRun(reportDir, { kind: 'probe', ...rest, selection: { only: [], areas: [] } }, selected)
}
