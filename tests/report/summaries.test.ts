import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import type { CheckResult } from '../../src/check/result.ts'
import { junit } from '../../src/report/junit.ts'
import { overviewOf } from '../../src/report/overview.ts'
import { terminalSummary } from '../../src/report/terminal.ts'
import { ResultsFile } from '../../src/results/results-file.ts'
import { Progress } from '../../src/run/progress.ts'
import { duration, wrap } from '../../src/text/format.ts'
import { facts, outcomes, requirements } from '../results/fixture/synthetic.ts'

const directory = mkdtempSync(join(tmpdir(), 'plumbline-summaries-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** A finished run in which only these checks were selected. */
function runOf(results: readonly CheckResult[]) {
  const selected = requirements
    .filter(({ id }) => results.some(({ requirement }) => requirement === id))
    .map((requirement) => ({ ...requirement, checks: requirement.checks.slice(0, 1) }))
  const file = new ResultsFile(directory, facts, selected)
  for (const result of results) file.add(result)
  return file.finish()
}

function outcome(verdict: CheckResult['verdict']): CheckResult {
  const found = outcomes.find((other) => other.verdict === verdict)
  if (!found) throw new Error(`the synthetic run has no ${verdict}`)
  return found
}

function terminal(columns: number, isTTY: boolean): { stream: NodeJS.WriteStream; text: () => string } {
  let text = ''
  const stream = Object.assign(new PassThrough(), {
    columns,
    isTTY,
    getColorDepth: () => 8,
    hasColors: () => true,
  })
  stream.on('data', (chunk) => (text += chunk))
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => text }
}

describe('terminal summary', () => {
  test.for([80, 100])('fits into %i columns', (columns) => {
    const { stream } = terminal(columns, false)
    const summary = terminalSummary(overviewOf(runOf(outcomes)), {
      stream,
      directory: 'reports/latest',
    })
    const tooLong = stripVTControlCharacters(summary)
      .split('\n')
      .filter((line) => line.length > columns)
    expect(tooLong).toEqual([])
  })

  test('shows the four parts of a violation and the command that repeats it', () => {
    const { stream } = terminal(100, false)
    const summary = terminalSummary(overviewOf(runOf(outcomes)), {
      stream,
      directory: 'x',
      report: 'reports/latest/report/index.html',
    })
    const lines = stripVTControlCharacters(summary)
      .split('\n')
      .map((line) => line.trim())
    expect(lines).toContain('EVENT-WINDOW-LIMIT  section "Event search (pull)"')
    expect(lines).toContain('requirement    A window over 24 hours is refused with status 400.')
    expect(lines).toContain('expected       status 400')
    expect(lines).toContain('repeat         npx plumbline check --target uat --only EVENT-WINDOW-LIMIT')
    expect(lines.findLast((line) => line !== '')).toBe('Report: reports/latest/report/index.html')
    const parts = [
      'Release: no, because 1 of',
      'Checked uat',
      'Violated',
      'Inconclusive',
      '7 requirements',
      'Notes: ',
      'Summary: x/summary.md',
      'Report: ',
    ]
    const places = parts.map((part) => lines.findIndex((line) => line.startsWith(part)))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
  })

  test('names one reason that stopped many checks once', () => {
    const { stream } = terminal(100, false)
    const file = new ResultsFile(directory, facts, requirements)
    const summary = terminalSummary(overviewOf(file.finish()), { stream, directory: 'x' })
    expect(summary.match(/the run ended before this check began/g)).toHaveLength(1)
  })
})

describe('progress', () => {
  test('with a terminal one line renews itself', () => {
    const { stream, text } = terminal(60, true)
    const progress = new Progress(stream, requirements, facts)
    const [first] = requirements
    if (first)
      progress.checkEnds(
        { ...outcome('pass'), requirement: first.id },
        { requests: 3, logins: 1, throttled: 0 },
      )
    progress.stop()
    const [line = '', ...rest] = stripVTControlCharacters(text()).split('\r').filter(Boolean)
    expect(line).toMatch(/^ 1\/11 checks {2}discovery {2}3\/500 requests {2}1\/15 logins$/)
    expect(rest).toEqual([])
    expect(text()).not.toContain('\n')
  })

  test('counts violated requirements, as the summary does, not failed checks', () => {
    const { stream, text } = terminal(100, true)
    const progress = new Progress(stream, requirements, facts)
    const [first, second] = requirements
    for (const one of [first, first, second])
      progress.checkEnds({ ...outcome('fail'), requirement: one?.id ?? '' }, undefined)
    progress.stop()
    expect(stripVTControlCharacters(text())).toContain(' 3/11 checks')
    expect(stripVTControlCharacters(text())).toContain('  2 requirements violated  ')
  })

  test.each([
    ['counts down on a terminal', true, / {2}waiting (?:20|19) s before the next request {2}/],
    [
      'prints a line for a long wait without a terminal',
      false,
      /^Checks by area, .*:\n +waiting (?:20|19) s before the next request\n$/,
    ],
  ])('%s during a wait for the target', async (_how, isTTY, expected) => {
    const { stream, text } = terminal(100, isTTY)
    const progress = new Progress(stream, requirements, facts)
    progress.start()
    progress.paused(Date.now() + 20_000)
    await expect.poll(() => stripVTControlCharacters(text())).toMatch(expected)
    progress.stop()
  })
})

test('JUnit replaces characters that XML forbids', () => {
  const xml = junit(runOf([{ ...outcome('fail'), reason: 'a\u0000b\u001bc \ud800 \u{1f600}' }]))
  expect(xml).toContain('a\ufffdb\ufffdc \ufffd \u{1f600}')
})

test('durations have a suitable unit', () => {
  expect([12, 8400, 200_000].map(duration)).toEqual(['12 ms', '8.4 s', '3 min 20 s'])
})

test('text is broken at spaces, and a long word is not', () => {
  expect(wrap('one two three', 8, 2)).toEqual(['one two', '  three'])
  expect(wrap('https://a.example/b c', 8, 0)).toEqual(['https://a.example/b', 'c'])
})
