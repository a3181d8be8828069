import { version } from '../project.ts'
import { ResultsFile, type RunFacts, type SelectedRequirement } from './results-file.ts'
import { createRunDirectory, newRunId } from './run-directory.ts'

/**
 * Starts a run: creates its directory, with a results.json that lists the selected checks.
 * @param reportDir the folder of all runs
 */
export function newRun(
  reportDir: string,
  known: Omit<RunFacts, 'id' | 'startedAt' | 'version'>,
  requirements: readonly SelectedRequirement[],
): ResultsFile {
  const startedAt = new Date()
  const id = newRunId(known.target, startedAt)
  const facts = { id, ...known, startedAt: startedAt.toISOString(), version }
  return new ResultsFile(createRunDirectory(reportDir, id), facts, requirements)
}
