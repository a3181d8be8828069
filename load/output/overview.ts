import { plain } from '../../src/run/markdown.ts'
import { counted, wrap } from '../../src/run/text.ts'
import type { ProbeResult } from '../result.ts'
import { countByOutcome } from './series.ts'

/** Probes for summary.md: one line of a table for each. */
export function overviewMarkdown(results: readonly ProbeResult[]): string[] {
  if (results.length === 0) return []
  return [
    '| probe | endpoint | sent | 2xx, 3xx | 429 | other | budget used | finding |',
    '|---|---|---:|---:|---:|---:|---:|---|',
    ...results.map((result) => {
      const { sent, accepted, throttled, other } = figures(result)
      const cells = [result.probe, result.endpoint, sent, accepted, throttled, other, result.requests]
      return `| ${cells.join(' | ')} | ${plain(findingOf(result))} |`
    }),
  ]
}

/**
 * Probes for a terminal: the figures of each in a line, and below it what was found.
 * @param maxRequests LOAD_MAX_REQUESTS
 * @param width characters to a line
 */
export function overviewLines(results: readonly ProbeResult[], maxRequests: number, width: number): string[] {
  const names = results.map(({ probe, endpoint }) => `${probe} ${endpoint}`)
  const longest = names.reduce((length, name) => Math.max(length, name.length), 0)
  const used = results.reduce((sum, { requests }) => sum + requests, 0)
  return [
    ...results.flatMap((result, index) => {
      const { sent, accepted, throttled, other } = figures(result)
      const numbers = [
        `${column(sent)} sent`,
        `${column(accepted)} 2xx or 3xx`,
        `${column(throttled)} 429`,
        `${column(other)} other`,
      ]
      const name = (names[index] ?? '').padEnd(longest)
      return [`  ${name}  ${numbers.join('  ')}`, ...wrap(`    ${findingOf(result)}`, width, 4)]
    }),
    ...(results.length === 0
      ? []
      : [`  ${used} of ${counted(maxRequests, 'request')} used, reconnects among them`]),
  ]
}

function figures({ shots }: ProbeResult) {
  const counts = countByOutcome(shots)
  const accepted = counts['2xx, 3xx']
  const throttled = counts['429']
  return { sent: shots.length, accepted, throttled, other: shots.length - accepted - throttled }
}

function findingOf({ finding, ended }: ProbeResult): string {
  return ended === null ? finding : `${finding} (ended early: ${ended})`
}

function column(count: number): string {
  return String(count).padStart(5)
}
