import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { chartDescription, probeChart } from '../../../load/output/chart.ts'
import { barSeconds, bars, dots, lastMoment, mergedWaits } from '../../../load/output/chart-data.ts'
import { outcomes } from '../../../load/output/outcome.ts'
import type { ProbeResult } from '../../../load/result.ts'
import { palette } from '../../../src/chart/palette.ts'
import { resultOf, synthetic } from './synthetic.ts'

/** A queue, of which charts show the rate alone. */
const limiter = {
  result: 'identified',
  kind: 'leaky-bucket',
  rate: 5,
  rateInterval: { low: 5, high: 5 },
  proof: { observations: 6, explained: 6, nextBest: { kind: 'token-bucket', explained: 4 }, sentence: '' },
  notes: [],
  requests: 6,
  elapsedMs: 10_500,
} as const
/** Bytes that an attachment of a report may have. */
const largest = 400_000

/** Every text of a drawing, in order. */
function textsOf(svg: string): string[] {
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text)
}

const isSentInWait = ({ shots, waits }: ProbeResult) =>
  shots.some(({ sentAt }) => mergedWaits(waits).some(({ from, until }) => from <= sentAt && sentAt < until))

describe.each(Object.entries(synthetic))('the chart of %s', (_, probed) => {
  const result: ProbeResult = { ...probed, limiter }

  test('is well-formed, small, refers to nothing outside and holds no script', async () => {
    const svg = await probeChart(result)
    expect(XMLValidator.validate(svg)).toBe(true)
    expect(svg.length).toBeLessThan(largest)
    expect(svg).not.toMatch(/NaN|Infinity|undefined|<script|<image|<foreignObject|url\(|@import| on\w+="/)
    expect(svg.replaceAll(/xmlns(:\w+)?="[^"]*"/g, '')).not.toMatch(/https?:|href/)
  })

  test('describes its content, for screen readers too', async () => {
    const svg = await probeChart(result)
    const { svg: root } = new XMLParser({ ignoreAttributes: false }).parse(svg)
    expect(root['@_role']).toBe('img')
    expect(root.title['#text']).toContain(`${result.probe} of ${result.endpoint}`)
    expect(root['@_aria-labelledby']).toBe(`${root.title['@_id']} ${root.desc['@_id']}`)
    expect(chartDescription(result)).toMatch(
      result.shots.length === 1
        ? / 1 request was sent/
        : new RegExp(` ${result.shots.length} requests were sent`),
    )
    const texts = textsOf(svg).join('\n')
    expect(texts).toContain('requests/s')
    expect(texts).toContain('time since the probe began to send (s)')
    expect(texts).toContain('response time')
    expect(texts).toContain('leaky bucket: 5 requests/s')
    if (result.waits.length > 0) expect(texts).toContain('waits for Retry-After')
    if (result.shots.some(({ status }) => status === 429)) expect(texts).toContain('first 429 at')
    if (result.shots.some(({ status }) => status !== undefined)) expect(texts).toContain('p99.9')
    // A percentile that so few answers cannot show is not drawn as if it were known.
    const answers = result.shots.filter(({ status }) => status !== undefined).length
    if (answers > 0) expect(texts.includes('too few')).toBe(answers < 1000)
  })

  test.each([
    ['wide', 800],
    ['narrow', 358],
  ] as const)('is %s: %i pixels, with whole labels', async (form, width) => {
    const svg = await probeChart(result, form)
    expect(svg).toMatch(new RegExp(`^<svg[^>]* width="${width}" height="\\d+" viewBox="0 0 ${width} \\d+"`))
    expect(svg).toMatch(new RegExp(`<rect width="${width}" height="\\d+" fill="#ffffff"/>`))
    expect(svg).not.toContain('…')
    const lengths = textsOf(svg.replace(/<tspan[^>]*>(.*?)<\/tspan>/g, '</text><text>$1')).map(
      (one) => one.length,
    )
    expect(Math.max(...lengths)).toBeLessThanOrEqual(form === 'narrow' ? 50 : 108)
  })

  test('draws every request, in bars that cover no wait', () => {
    const grid = { width: barSeconds(lastMoment(result)), least: 0, waits: result.waits }
    const drawn = bars(result.shots, grid)
    expect(drawn.reduce((sum, { rate }) => sum + rate * grid.width, 0)).toBeCloseTo(result.shots.length)
    const covered = drawn.filter((bar) =>
      mergedWaits(result.waits).some((wait) => bar.from < wait.until / 1000 && wait.from / 1000 < bar.until),
    )
    // Only requests that were sent during a wait, by another client, are in one.
    expect(covered.length > 0).toBe(isSentInWait(result))
  })
})

test.each([
  ['limiter', 2000, true],
  ['limiter', 20, false],
  ['ramp', 2000, false],
] as const)('%s with %d ms after the first request: the chart explains the pause: %j', async (...given) => {
  const [probe, pauseMs, isExplained] = given
  const shot = (sentAt: number) => ({ intendedAt: sentAt, sentAt, endedAt: sentAt + 5, status: 200 })
  const shots = [shot(0), shot(5 + pauseMs), shot(100 + pauseMs)]
  const svg = await probeChart(resultOf({ probe, shots }))
  expect(svg.includes('sends one request, pauses for 2 s, then sends the others')).toBe(isExplained)
})

test('bars begin with the probe and after each wait, end where a wait begins, and are never invisible', () => {
  const shot = (sentAt: number) => ({ intendedAt: sentAt, sentAt, endedAt: sentAt + 5, status: 200 })
  const waits = [
    { from: 3100, until: 8000 },
    { from: 8050, until: 12_000 },
  ]
  const drawn = bars([shot(500), shot(1200), shot(3050), shot(8010), shot(12_500), shot(14_500)], {
    width: 2,
    least: 0.2,
    waits,
  })
  const rounded = drawn.map(({ from, until, rate }) =>
    [from, until, rate].map((one) => Number(one.toFixed(2))),
  )
  expect(rounded).toEqual([
    [0, 2, 1],
    [2, 3.1, 0.5],
    [8, 8.2, 0.5],
    [12, 14, 0.5],
    [14, 16, 0.5],
  ])
})

test('many dots are thinned out, and the slowest stays', () => {
  const { shots } = synthetic['5000 shots']
  const drawn = dots(shots, lastMoment(synthetic['5000 shots']))
  expect(drawn.length).toBeLessThanOrEqual(1500)
  const slowest = Math.max(...shots.map(({ endedAt, intendedAt }) => endedAt - intendedAt))
  expect(Math.max(...drawn.map(({ latency }) => latency))).toBeGreaterThan(0.9 * slowest)
})

test('waits that overlap are drawn once, and end where the chart does', () => {
  const waits = [
    { from: 100, until: 300 },
    { from: 0, until: 200 },
    { from: 900, until: 90_000 },
    { from: 5000, until: 6000 },
  ]
  expect(mergedWaits(waits, 1000)).toEqual([
    { from: 0, until: 300 },
    { from: 900, until: 1000 },
  ])
})

test('the dark scheme replaces every colour of the light one', async () => {
  const svg = await probeChart({ ...synthetic['every outcome'], limiter })
  const [, style = ''] = /<style>(.*?)<\/style>/.exec(svg) ?? []
  const used = new Set([...svg.matchAll(/(?:fill|stroke)="(#[0-9a-f]{6})"/g)].map(([, value = '']) => value))
  for (const colour of used) expect(style).toContain(`[fill="${colour}"]`)
})

describe.each([
  ['light', 0],
  ['dark', 1],
] as const)('in the %s scheme', (_, scheme) => {
  const onGround = (name: keyof typeof palette) => contrast(palette[name][scheme], palette.ground[scheme])

  test.each(['ink', 'quiet', 'throttled'] as const)('text in %s stands out (WCAG 1.4.3: 4.5)', (name) => {
    expect(onGround(name)).toBeGreaterThanOrEqual(4.5)
  })

  test.each([
    'accepted',
    'throttled',
    'clientError',
    'serverError',
    'unanswered',
    'schedule',
    'limit',
  ] as const)('marks in %s have enough contrast (WCAG 1.4.11: 3)', (name) =>
    expect(onGround(name)).toBeGreaterThanOrEqual(3),
  )

  test('marks on a wait have enough contrast too', () => {
    for (const name of ['accepted', 'throttled'] as const)
      expect(contrast(palette[name][scheme], palette.wait[scheme])).toBeGreaterThanOrEqual(3)
  })
})

test('each outcome has a colour of its own in both schemes', () => {
  for (const scheme of [0, 1] as const)
    expect(new Set(Object.values(palette).map((pair) => pair[scheme])).size).toBe(Object.keys(palette).length)
  expect(outcomes).toHaveLength(5)
})

/** Contrast ratio (WCAG 2.2). */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
