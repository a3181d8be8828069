import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { earlierRuns, findRun, runFiles } from '../src/results/run-directory.ts'
import { readStoredJson } from '../src/results/stored-file.ts'
import { SetupError } from '../src/target/problem.ts'
import { isObject } from '../src/text/json.ts'
import { type KindVariant, variantText } from './limiter/index.ts'
import type { ProbeDocument } from './output/document.ts'

const variants = Object.keys(variantText) as KindVariant[]

/**
 * The results of the probe `limiter` in a run; by default in the newest run with such a result.
 * @throws {SetupError} if no run has a result of the probe `limiter`
 */
export function savedLimiters(reportDir: string, run?: string): ProbeDocument[] {
  const folders = run === undefined ? newestFirst(reportDir) : [namedRun(reportDir, run)]
  for (const folder of folders) {
    const found = limitersIn(folder)
    if (found.length > 0) return found
  }
  throw new SetupError({
    name: '--what-if',
    what: `needs an identified limiter, but ${run === undefined ? `no run in ${reportDir} has one` : `the run ${run} has none`}: run \`npx plumbline probe --probe limiter\` first`,
  })
}

function namedRun(reportDir: string, run: string): string {
  const folder = findRun(reportDir, run)
  if (folder !== undefined) return folder
  const what = `${run} is neither a directory with ${runFiles.results} nor the id of a run in ${reportDir}`
  throw new SetupError({ name: '--what-if', what })
}

function newestFirst(reportDir: string): string[] {
  const latest = findRun(reportDir)
  return latest === undefined ? [] : [latest, ...earlierRuns(latest)]
}

function limitersIn(directory: string): ProbeDocument[] {
  const folder = join(directory, runFiles.probes)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => /^limiter-.*\.json$/.test(name))
    .flatMap((name) => documentIn(join(folder, name)))
}

/** Returns no document if the file cannot be read, since a run may be damaged. */
function documentIn(path: string): ProbeDocument[] {
  try {
    const value = readStoredJson(path)
    return isObject(value) ? [withVariantId(value as unknown as ProbeDocument)] : []
  } catch {
    return []
  }
}

/** Earlier versions of Plumbline stored the text of a variant instead of its id. */
function withVariantId(document: ProbeDocument): ProbeDocument {
  if (document.limiter?.result !== 'identified') return document
  const { variant: stored, ...limiter } = document.limiter
  const variant = variants.find((id) => stored === id || stored === variantText[id])
  return { ...document, limiter: { ...limiter, ...(variant && { variant }) } }
}
