import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ResultFile } from '../src/check/result.ts'
import { narrowChart } from '../src/results/results.ts'
import { runFiles } from '../src/results/run-directory.ts'
import { limiterName } from './limiter/index.ts'
import { probeDocument, shotsCsv } from './output/document.ts'
import type { ProbeResult } from './result.ts'

/** Writes the chart of a probe, its numbers and its requests. */
export async function writeProbeFiles(directory: string, result: ProbeResult): Promise<ResultFile[]> {
  // Loaded here, because the chart library loads slowly and --dry-run does not need it.
  const { probeChart } = await import('./output/chart.ts')
  const base = `${runFiles.probes}/${result.probe}-${result.endpoint}`
  const { limiter } = result
  const level =
    limiter?.result === 'identified'
      ? { ratePerSecond: limiter.rate, label: limiterName(limiter) }
      : undefined
  mkdirSync(join(directory, runFiles.probes), { recursive: true })
  const write = (name: string, mediaType: string, extension: string, content: string): ResultFile => {
    const path = `${base}.${extension}`
    writeFileSync(join(directory, path), content)
    return { name, mediaType, path }
  }
  return [
    write('chart', 'image/svg+xml', 'svg', await probeChart(result, level)),
    write(narrowChart, 'image/svg+xml', 'narrow.svg', await probeChart(result, level, 'narrow')),
    write('numbers', 'application/json', 'json', `${JSON.stringify(probeDocument(result), null, 2)}\n`),
    write('requests', 'text/csv', 'csv', shotsCsv(result.shots)),
  ]
}
