import { drawSvg } from '../../src/chart/draw.ts'
import { schemeStyle } from '../../src/chart/palette.ts'
import { minuteOf, wrap } from '../../src/text/format.ts'
import type { ProbeResult } from '../result.ts'
import { chartSpec } from './chart-spec.ts'
import { outcomesInWords } from './outcome.ts'
import { timesByOutcome } from './percentiles.ts'
import type { Level } from './rate-panel.ts'
import { askedToWaitMs, firstThrottledAt } from './series.ts'
import { latencyText, milliseconds, rateText } from './words.ts'

const className = 'plumbline-probe'
/** Characters that fit on a line of the chart. */
const lineLength = 108
/** In pixels, where nothing scales it. */
const width = 800

/**
 * A probe as an SVG for people: requests, 429 and latency over time with the waits that the target asked for, and
 * percentiles. It follows the reader's colour scheme, refers to nothing outside, and holds no script.
 * @param level the rate of the limiter that was found, where one was
 */
export async function probeChart(result: ProbeResult, level?: Level): Promise<string> {
  const title = `${result.probe}: ${result.endpoint}, ${minuteOf(result.startedAt)} UTC`
  const lines = [
    ...wrap(result.finding, lineLength, 0),
    ...(result.ended === null ? [] : wrap(`Ended early: ${result.ended}.`, lineLength, 0)),
  ]
  return drawSvg(chartSpec(result, { title, lines }, level), {
    id: className,
    className,
    width,
    title,
    description: describe(result, level),
    style: `.${className}{max-width:100%;height:auto}${schemeStyle(className)}`,
  })
}

/** The chart in words, for those who do not see it. */
export function describe(result: ProbeResult, level?: Level): string {
  const { shots, holds } = result
  const answers = outcomesInWords(shots)
  const first = firstThrottledAt(shots)
  const asked = askedToWaitMs(holds)
  const { accepted } = timesByOutcome(shots)
  return [
    result.finding,
    `${shots.length} requests were sent${answers.length > 0 ? `: ${answers.join(', ')}` : ''}.`,
    first === undefined ? 'There was no 429.' : `The first 429 came after ${milliseconds(first)}.`,
    ...(asked > 0 ? [`The target asked to wait ${milliseconds(asked)} in all.`] : []),
    ...(accepted.latencyMs
      ? [
          `Latency of what was accepted: ${latencyText(accepted, ['p50', 'p99'])}, at most ${milliseconds(accepted.latencyMs.max)}.`,
        ]
      : []),
    ...(level ? [`${level.label}: ${rateText(level.ratePerSecond)} a second.`] : []),
    ...(result.ended === null ? [] : [`Ended early: ${result.ended}.`]),
  ].join(' ')
}
