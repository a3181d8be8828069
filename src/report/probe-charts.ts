import { allChecks } from '../results/queries.ts'
import { type CheckRecord, narrowChart, type RunResults } from '../results/results.ts'
import { readWithin } from '../results/stored-file.ts'

/** The result of a probe with its chart. */
export interface ProbeChart {
  /** The probe and its endpoint: `limiter of userinfo`. */
  readonly name: string
  readonly findings: readonly string[]
  /** The chart as a data URL; undefined if its file cannot be read. */
  readonly source: string | undefined
  /** The chart for narrow pages as a data URL; undefined in runs of older versions, too. */
  readonly narrowSource: string | undefined
}

/** The charts of a probe run, those of the probe `limiter` first; empty for a run of checks. */
export function probeCharts(runDirectory: string, results: RunResults): ProbeChart[] {
  if (results.run.kind !== 'probe') return []
  const checks = allChecks(results).toSorted((one, other) => rank(one.check) - rank(other.check))
  return checks.flatMap(({ check: { name, notes, attachments = [] } }) => {
    const drawn = attachments.filter(({ mediaType }) => mediaType === 'image/svg+xml')
    const chart = drawn.find((one) => one.name !== narrowChart)
    const narrow = drawn.find((one) => one.name === narrowChart)
    if (!chart) return []
    return [
      {
        name,
        findings: notes.map(({ text }) => text),
        source: sourceOf(runDirectory, chart.path),
        narrowSource: narrow && sourceOf(runDirectory, narrow.path),
      },
    ]
  })
}

function rank({ probe }: CheckRecord): number {
  return probe?.name === 'limiter' ? 0 : 1
}

/** A data URL for an image: inside an image, scripts in the file cannot run. */
function sourceOf(runDirectory: string, path: string): string | undefined {
  try {
    return `data:image/svg+xml;base64,${readWithin(runDirectory, path).toString('base64')}`
  } catch {
    return undefined
  }
}
