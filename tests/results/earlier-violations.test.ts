import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Verdict } from '../../src/check/verdict.ts'
import { earlierViolations } from '../../src/results/earlier-violations.ts'
import type { JudgedRequests } from '../../src/results/judged-requests.ts'
import { PastRun } from '../../src/results/past-runs.ts'
import type { RunResults } from '../../src/results/results.ts'
import { runOf } from './fixture/runs.ts'

const folder = mkdtempSync(join(tmpdir(), 'plumbline-unchecked-'))
afterAll(() => rmSync(folder, { recursive: true }))

let saved = 0
/** A run that is saved: the verdicts of requirements, by id. */
function past(
  verdicts: Readonly<Record<string, Verdict>>,
  run: Partial<RunResults['run']> = {},
  name: string = run.target ?? 'uat',
): PastRun {
  return stored(JSON.stringify(runWith(verdicts, run)), name)
}

/** A run whose results have this text. */
function stored(text: string, name = 'uat'): PastRun {
  saved += 1
  const directory = join(folder, `${saved}-${name}-0000`)
  mkdirSync(directory)
  writeFileSync(join(directory, 'results.json'), text)
  return new PastRun(directory)
}

const runWith = (verdicts: Readonly<Record<string, Verdict>>, run: Partial<RunResults['run']> = {}) =>
  runOf(
    Object.entries(verdicts).map(([id, verdict]) => ({ id, verdict })),
    run,
  )

/** The ids of the violations that the earlier runs, newest first, found and a run did not decide. */
const idsAfter = (
  earlier: readonly PastRun[],
  verdicts: Readonly<Record<string, Verdict>> = { A: 'not-applicable' },
  judged: JudgedRequests = new Map(),
) => earlierViolations(runWith(verdicts), earlier, judged).map(({ id }) => id)

describe('violations that a run did not check', () => {
  test('name the run that found them', () => {
    const found = past({ A: 'fail', B: 'pass' }, { startedAt: '2026-11-20T03:00:00.000Z' })
    expect(earlierViolations(runWith({ A: 'not-applicable' }), [past({}), found], new Map())).toEqual([
      { id: 'A', run: found.id, startedAt: '2026-11-20T03:00:00.000Z' },
    ])
  })

  test('are those of the last run that decided the requirement', () => {
    const [failed, passed] = [past({ A: 'fail' }), past({ A: 'pass' })]
    const [absent, open] = [past({ A: 'not-applicable' }), past({ A: 'inconclusive' })]
    expect(idsAfter([failed])).toEqual(['A'])
    expect(idsAfter([absent, open, failed, passed])).toEqual(['A'])
    expect(idsAfter([failed, failed])).toEqual(['A'])
    expect(idsAfter([passed, failed])).toEqual([])
    expect(idsAfter([past({ A: 'observed' }), failed])).toEqual([])
    expect(idsAfter([absent, open])).toEqual([])
  })

  test('concern requirements that the run left open, not those that it decided or did not select', () => {
    const failed = past({ A: 'fail', B: 'fail', C: 'fail', D: 'fail' })
    expect(idsAfter([failed], { A: 'inconclusive', B: 'pass', C: 'fail' })).toEqual(['A'])
  })

  test('a pass counts only in a complete run that selected the requests which its check judges', () => {
    const failed = past({ A: 'fail' })
    const selection = { only: ['A'], areas: [] }
    const judged: JudgedRequests = new Map([
      ['A', { areas: ['token'], requirements: [{ id: 'B', area: 'token' }] }],
    ])
    expect(idsAfter([past({ A: 'pass' }, { completed: false }), failed])).toEqual(['A'])
    expect(idsAfter([past({ A: 'pass' }, { selection }), failed])).toEqual([])
    expect(idsAfter([past({ A: 'pass' }, { selection }), failed], undefined, judged)).toEqual(['A'])
    expect(idsAfter([past({ A: 'fail' }, { completed: false, selection })])).toEqual(['A'])
  })

  test('are those of check runs of the same target', () => {
    expect(idsAfter([past({ A: 'fail' }, { target: 'production' })])).toEqual([])
    expect(idsAfter([past({ A: 'fail' }, { target: 'production' }, 'renamed')])).toEqual([])
    expect(idsAfter([past({ A: 'fail' }, { kind: 'probe' })])).toEqual([])
    const probe = runWith({ A: 'not-applicable' }, { kind: 'probe' })
    expect(earlierViolations(probe, [past({ A: 'fail' }, { kind: 'probe' })], new Map())).toEqual([])
  })

  const passed = runWith({ A: 'pass' })
  test.for<[string, string]>([
    ['that cannot be read', '{'],
    ['without a start', JSON.stringify({ ...passed, run: { ...passed.run, startedAt: undefined } })],
    ['without requirements', JSON.stringify({ ...passed, requirements: undefined })],
    ['with a requirement without a verdict', JSON.stringify({ ...passed, requirements: [{ id: 'A' }] })],
  ])('skip a run %s', ([, text]) => {
    expect(idsAfter([stored(text), past({ A: 'fail' })])).toEqual(['A'])
  })

  test('are searched only until each requirement has been decided', () => {
    class UnneededRun extends PastRun {
      override get head(): never {
        throw new Error('the run is read')
      }
    }
    const runs = [past({ A: 'fail', B: 'not-applicable' }), past({ B: 'pass' }), new UnneededRun(folder)]
    expect(idsAfter(runs, { A: 'not-applicable', B: 'inconclusive' })).toEqual(['A'])
  })

  test('are searched in the last 30 runs of the target', () => {
    const [open, failed, other] = [past({}), past({ A: 'fail' }), past({}, { target: 'production' })]
    const runs = (count: number) => Array.from({ length: count }, () => open)
    expect(idsAfter([other, ...runs(29), failed])).toEqual(['A'])
    expect(idsAfter([...runs(30), failed])).toEqual([])
  })
})
