import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadSuites } from '../../src/check/suites.ts'
import type { Verdict } from '../../src/check/verdict.ts'
import { type JudgedRequests, judgedRequests } from '../../src/results/judged-requests.ts'
import { requirementsToRerun, rerunOf } from '../../src/run/rerun.ts'
import type { TargetName } from '../../src/target/profiles.ts'
import { runOf } from '../results/fixture/runs.ts'

let reports = ''
let day = 0
beforeEach(() => {
  reports = mkdtempSync(join(tmpdir(), 'plumbline-rerun-'))
  day = 0
})
afterEach(() => rmSync(reports, { recursive: true }))

/** Writes the next run, of everything unless globs are given. */
function save(
  verdicts: Readonly<Record<string, Verdict>>,
  only: readonly string[] = [],
  target: TargetName = 'uat',
): void {
  day += 1
  const id = `2026010${day}T000000000Z-${target}-0000`
  const directory = join(reports, 'runs', id)
  mkdirSync(directory, { recursive: true })
  const fixtures = Object.entries(verdicts).map(([requirement, verdict]) => ({ id: requirement, verdict }))
  const results = runOf(fixtures, { id, target, selection: { only, areas: [] } })
  writeFileSync(join(directory, 'results.json'), JSON.stringify(results))
}

const idsToRerun = (judged: JudgedRequests = new Map()) => {
  const ids = requirementsToRerun(reports, 'uat', judged)
  return ids && [...ids].sort()
}

test('a partial run leaves the last verdicts of the other requirements', () => {
  save({ A: 'fail', B: 'inconclusive', C: 'pass', D: 'fail' })
  save({ A: 'pass', C: 'fail' }, ['A', 'C'])
  save({ C: 'inconclusive' }, ['C'])
  save({ D: 'pass' }, [], 'production')
  expect(idsToRerun()).toEqual(['B', 'C', 'D'])
})

test('a partial run in which a requirement does not apply leaves its last verdict; a full run does not', () => {
  save({ A: 'fail', B: 'fail' })
  save({ A: 'not-applicable' }, ['A'])
  expect(idsToRerun()).toEqual(['A', 'B'])
  save({ A: 'not-applicable', B: 'fail' })
  expect(idsToRerun()).toEqual(['B'])
})

test('runs before a run of everything do not count: a requirement that it lacks does not exist any more', () => {
  save({ A: 'fail', B: 'fail' })
  save({ B: 'fail' })
  expect(idsToRerun()).toEqual(['B'])
})

test('without a check run of the target, there are no last verdicts', () => {
  save({ A: 'fail' }, [], 'production')
  expect(idsToRerun()).toBeUndefined()
})

test('a pass of a check that judges requests of others counts only in a run of all of these', () => {
  const part = ['A', 'B'].map((id) => ({ id, area: 'token' }))
  const judged = new Map([['A', { areas: ['token'], requirements: part }]])
  save({ A: 'fail', B: 'pass', C: 'fail' })
  save({ A: 'pass', C: 'pass' }, ['A', 'C'])
  expect(idsToRerun(judged)).toEqual(['A'])
  save({ A: 'inconclusive' }, ['A'])
  expect(idsToRerun(judged)).toEqual(['A'])
  save({ A: 'pass', B: 'pass' }, ['A', 'B'])
  expect(idsToRerun(judged)).toEqual([])
  save({ A: 'fail' }, ['A'])
  expect(idsToRerun(judged)).toEqual(['A'])
})

test('a check that judges requests of others runs again with all checks of their areas', async () => {
  const suites = await loadSuites()
  const judged = judgedRequests(suites)
  const again = (...ids: readonly string[]) => rerunOf(ids, suites.requirements, judged)
  const events = again('EVENT-ID')
  expect(events.selection).toEqual({ only: [], areas: ['events', 'event-search'] })
  expect(events.why).toBe(
    'EVENT-ID judges requests of other checks, so this run contains all checks of the areas events, event-search.',
  )
  expect(events.requirements.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['EVENT-ID', 'EVENT-WINDOW-LIMIT']),
  )
  const mixed = again('TOKEN-ERROR-JSON', 'DISCOVERY-PUBLIC')
  expect(mixed.selection.areas).toEqual([])
  expect(mixed.selection.only).toEqual(
    expect.arrayContaining(['TOKEN-ERROR-JSON', 'TOKEN-TYPE-BEARER', 'DISCOVERY-PUBLIC']),
  )
  expect(mixed.selection.only).not.toContain('DISCOVERY-METADATA')
  expect(again('DISCOVERY-PUBLIC')).toEqual({
    selection: { only: ['DISCOVERY-PUBLIC'], areas: [] },
    requirements: [expect.objectContaining({ id: 'DISCOVERY-PUBLIC' })],
  })
})
