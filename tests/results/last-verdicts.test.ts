import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { lastVerdicts } from '../../src/results/last-verdicts.ts'
import type { TargetName } from '../../src/target/profiles.ts'
import { type RequirementFixture, runOf } from './fixture/runs.ts'

const reports = mkdtempSync(join(tmpdir(), 'plumbline-last-'))
afterAll(() => rmSync(reports, { recursive: true }))

function save(
  day: number,
  target: TargetName,
  fixtures: readonly RequirementFixture[],
  change = (text: string) => text,
): void {
  const id = `202601${String(day).padStart(2, '0')}T000000Z-${target}-0000`
  const directory = join(reports, 'runs', id)
  mkdirSync(directory, { recursive: true })
  const startedAt = `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`
  writeFileSync(
    join(directory, 'results.json'),
    change(JSON.stringify(runOf(fixtures, { id, target, startedAt }))),
  )
}

test('the newest run of each target that checked a requirement counts', () => {
  save(1, 'production', [{ id: 'ONE', verdict: 'pass' }])
  save(2, 'uat', [
    { id: 'ONE', verdict: 'pass' },
    { id: 'TWO', verdict: 'fail' },
  ])
  save(3, 'uat', [{ id: 'ONE', verdict: 'fail' }])
  // Runs without a verdict on it: another selection, an interrupted run, an unreadable run.
  save(4, 'uat', [{ id: 'ONE-MORE', verdict: 'pass' }])
  save(5, 'uat', [{ id: 'ONE', verdict: 'inconclusive' }], (text) => {
    const run = JSON.parse(text)
    run.requirements[0].checks = []
    return JSON.stringify(run)
  })
  save(6, 'uat', [{ id: 'ONE', verdict: 'pass' }], (text) => text.slice(0, -20))
  const found = lastVerdicts(reports, ['ONE', 'TWO', 'THREE'], new Map())
  const verdictsOf = (id: string) =>
    found.get(id)?.map(({ target, verdict, run }) => `${verdict} ${target} ${run}`)
  expect(verdictsOf('ONE')).toEqual([
    'fail uat 20260103T000000Z-uat-0000',
    'pass production 20260101T000000Z-production-0000',
  ])
  expect(verdictsOf('TWO')).toEqual(['fail uat 20260102T000000Z-uat-0000'])
  expect(verdictsOf('THREE')).toEqual([])
  expect(lastVerdicts(join(reports, 'nowhere'), ['ONE'], new Map()).get('ONE')).toEqual([])
})

test('a run that did not check a requirement, or was interrupted before, hides no verdict of an older run', () => {
  const verdict = () =>
    lastVerdicts(reports, ['FOUR'], new Map())
      .get('FOUR')
      ?.map((last) => last.verdict)
  save(10, 'uat', [{ id: 'FOUR', verdict: 'not-applicable' }])
  expect(verdict()).toEqual(['not-applicable'])
  save(11, 'uat', [{ id: 'FOUR', verdict: 'fail' }])
  save(12, 'uat', [{ id: 'FOUR', verdict: 'not-applicable' }])
  save(13, 'uat', [{ id: 'FOUR', verdict: 'inconclusive' }], (text) =>
    text.replace('"completed":true', '"completed":false'),
  )
  expect(verdict()).toEqual(['fail'])
})

test('a pass of a check that judges requests of others counts only in a run of all of these', () => {
  const part = ['JUDGE', 'OTHER'].map((id) => ({ id, area: 'token' }))
  const judged = new Map([['JUDGE', { areas: ['token'], requirements: part }]])
  const last = () =>
    lastVerdicts(reports, ['JUDGE'], judged)
      .get('JUDGE')
      ?.map(({ verdict }) => verdict)
  save(11, 'uat', [{ id: 'JUDGE', verdict: 'fail' }])
  save(12, 'uat', [{ id: 'JUDGE', verdict: 'pass' }], selecting('["JUDGE"]', '[]'))
  save(13, 'uat', [{ id: 'JUDGE', verdict: 'pass' }], selecting('[7]', '[]'))
  expect(last()).toEqual(['fail'])
  save(14, 'uat', [{ id: 'JUDGE', verdict: 'inconclusive' }], selecting('["JUDGE"]', '[]'))
  expect(last()).toEqual(['inconclusive'])
  save(15, 'uat', [{ id: 'JUDGE', verdict: 'pass' }], selecting('[]', '["token"]'))
  expect(last()).toEqual(['pass'])
})

function selecting(only: string, areas: string): (text: string) => string {
  return (text) =>
    text.replace('"selection":{"only":[],"areas":[]}', `"selection":{"only":${only},"areas":${areas}}`)
}
