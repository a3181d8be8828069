import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import type { RequirementId } from '../../src/check/requirement.ts'
import { allureCheck } from '../../src/report/allure/result.ts'
import { remedies } from '../../src/report/remedy.ts'
import { writeReports } from '../../src/report/report.ts'
import { inconclusiveByCause } from '../../src/results/inconclusive.ts'
import type { CheckRecord } from '../../src/results/results.ts'
import { newRun, ResultsFile, selectedWith } from '../../src/results/results-file.ts'
import { createRunDirectory, newRunId } from '../../src/results/run-directory.ts'
import { readRun } from '../../src/results/saved-run.ts'
import { runFacts } from '../../src/results/text.ts'
import { exitCodeOfRun } from '../../src/run/exit-code.ts'
import { schemaErrors } from './fixture/schema.ts'
import { startSyntheticRun } from './fixture/start.ts'
import { facts, outcomes, requirements } from './fixture/synthetic.ts'

const reportDir = mkdtempSync(join(tmpdir(), 'plumbline-results-'))
afterAll(() => rmSync(reportDir, { recursive: true, force: true }))

const verdicts = (directory: string) =>
  Object.fromEntries(readRun(directory).requirements.map(({ id, verdict }) => [id, verdict]))

test('a run id sorts by time and is a safe file name', () => {
  const earlier = newRunId('uat', new Date('2026-11-21T12:06:24.120Z'))
  const later = newRunId('embedded', new Date('2026-11-21T12:06:24.121Z'))
  expect(earlier).toMatch(/^20261121T120624\d{3}Z-uat-[0-9a-f]{4}$/)
  expect([later, earlier].sort()).toEqual([earlier, later])
})

test('a run starts with its command, and its duration says what it covers', () => {
  const { id: _, startedAt: __, version: ___, ...known } = facts
  const file = newRun(join(reportDir, 'started'), known, [], new Date(Date.now() - 20_000))
  expect(runFacts(file.finish().run)).toMatch(/, took 20(?:\.\d)? s, /)
})

test('latest points to the newest run', () => {
  createRunDirectory(reportDir, 'first')
  const second = createRunDirectory(reportDir, 'second')
  new ResultsFile(second, facts, requirements)
  expect(existsSync(join(reportDir, 'latest', 'results.json'))).toBe(true)
})

test('before the first check, all requirements with checks are inconclusive', () => {
  const directory = createRunDirectory(reportDir, 'empty')
  new ResultsFile(directory, facts, requirements)
  const { 'EVENT-VERSION-GROWTH': unchecked, ...others } = verdicts(directory)
  expect(schemaErrors(readRun(directory))).toEqual([])
  expect(readRun(directory).run).toMatchObject({ completed: false, finishedAt: null })
  expect(unchecked).toBe('not-applicable')
  expect(new Set(Object.values(others))).toEqual(new Set(['inconclusive']))
})

test('a requirement has the interpretation of the catalogue, if there is one', () => {
  const plain = { id: 'AB', area: 'token', section: 'Token', level: 'must', statement: 'AB.' } as const
  const open = { ...plain, id: 'AC', interpretation: 'Either status passes.', reason: 'it needs two users' }
  const directory = createRunDirectory(reportDir, 'interpretation')
  new ResultsFile(directory, facts, [selectedWith(plain, ['a check']), selectedWith(open, [])])
  const { requirements } = readRun(directory)
  expect(schemaErrors(readRun(directory))).toEqual([])
  expect(requirements[0]).not.toHaveProperty('interpretation')
  expect(requirements[1]).toMatchObject({ interpretation: open.interpretation, reason: open.reason })
})

test('a requirement has the verdict of its worst check, and is inconclusive until all checks end', async () => {
  const [example] = outcomes
  const requirement = requirements.find(({ checks }) => checks.length === 2)
  if (!example || !requirement) throw new Error('the synthetic run has no requirement with two checks')
  const directory = createRunDirectory(reportDir, 'worst')
  const file = new ResultsFile(directory, facts, [requirement])
  const [first = '', second = ''] = requirement.checks
  file.add({ ...example, requirement: requirement.id, name: first })
  await expect.poll(() => verdicts(directory)).toEqual({ [requirement.id]: 'inconclusive' })
  file.add({ ...example, requirement: requirement.id, name: second })
  await expect.poll(() => verdicts(directory)).toEqual({ [requirement.id]: 'pass' })
  file.add({
    ...example,
    requirement: requirement.id,
    name: 'another',
    verdict: 'fail',
    cause: 'target',
    reason: 'x',
  })
  await expect.poll(() => verdicts(directory)).toEqual({ [requirement.id]: 'fail' })
})

test('a shared exchange is written once, in its last redacted form', () => {
  const directory = createRunDirectory(reportDir, 'shared')
  const file = new ResultsFile(directory, facts, requirements)
  const [first, second] = outcomes.filter(({ requirement }) => requirement.startsWith('DISCOVERY-'))
  const [exchange] = first?.exchanges ?? []
  if (!first || !second || !exchange) throw new Error('the synthetic run has no such checks')
  const later = { ...exchange, request: { ...exchange.request, url: 'https://idp.example.com/masked' } }
  file.add(first)
  file.add({ ...second, exchanges: [later] })
  file.finish()
  file.write()
  const results = readRun(directory)
  expect(results.exchanges).toEqual([later])
  const checks = results.requirements.flatMap((requirement) => requirement.checks)
  expect(checks.filter(({ exchanges: numbers }) => numbers.includes(exchange.number))).toHaveLength(2)
})

test('checks that did not run have the reason of the stop', () => {
  const file = new ResultsFile(createRunDirectory(reportDir, 'stopped'), facts, requirements)
  const results = file.finish({ cause: 'harness', reason: 'the suites could not be loaded' })
  const reasons = results.requirements.flatMap(({ checks }) =>
    checks.map(({ cause, reason }) => `${cause}: ${reason}`),
  )
  expect(new Set(reasons)).toEqual(new Set(['harness: the suites could not be loaded']))
})

test('a check that follows from a violation has the cause target at the end of the run, also in the report', async () => {
  const [example] = outcomes
  const [violated, follower] = requirements.filter(({ checks }) => checks.length > 0)
  if (!example || !violated || !follower) throw new Error('the synthetic run has no such requirements')
  const directory = createRunDirectory(reportDir, 'follows')
  const file = new ResultsFile(directory, facts, [violated, follower])
  const reason = 'it is broken'
  const dependsOn = [violated.id as RequirementId]
  const inconclusive = {
    ...example,
    verdict: 'inconclusive',
    cause: 'environment',
    reason,
    dependsOn,
  } as const
  for (const name of follower.checks) file.add({ ...inconclusive, requirement: follower.id, name })
  const failed = { ...example, verdict: 'fail', cause: 'target', reason: 'it is' } as const
  for (const name of violated.checks) file.add({ ...failed, requirement: violated.id, name })
  // The text that the reporter had written when the check ended.
  const early = file.results().requirements.find(({ id }) => id === follower.id)?.checks[0]
  const { result } = allureCheck(follower, early as CheckRecord, [], [], 1)
  const written = join(directory, 'allure-results', `${result.uuid}-result.json`)
  mkdirSync(dirname(written))
  writeFileSync(written, JSON.stringify(result))

  const results = file.finish()
  file.write()
  expect(results.requirements.find(({ id }) => id === follower.id)).toMatchObject({
    verdict: 'inconclusive',
    checks: follower.checks.map(() => ({ cause: 'target', reason, dependsOn })),
  })
  expect(schemaErrors(readRun(directory))).toEqual([])
  expect(exitCodeOfRun(file.results())).toBe(1)
  await writeReports(directory)
  expect(JSON.parse(readFileSync(written, 'utf8'))).toMatchObject({
    stop: 1,
    labels: expect.arrayContaining([{ name: 'tag', value: 'cause: target' }]),
  })
  expect(readFileSync(join(directory, 'summary.md'), 'utf8')).toContain(
    `- Explained by a violation. ${remedies.target}\n  - **${follower.id}** follows from ${violated.id}: ${reason}`,
  )
})

test('at the end of a run, a check that depends on a misconfigured one has the cause configuration, and its root is the other', () => {
  const [example] = outcomes
  const [root, follower] = requirements.filter(({ checks }) => checks.length > 0)
  if (!example || !root || !follower) throw new Error('the synthetic run has no such requirements')
  const file = new ResultsFile(createRunDirectory(reportDir, 'misconfigured'), facts, [root, follower])
  const open = { ...example, verdict: 'inconclusive', finding: null } as const
  const dependsOn = [root.id as RequirementId]
  for (const name of follower.checks)
    file.add({ ...open, requirement: follower.id, name, cause: 'environment', reason: 'no data', dependsOn })
  for (const name of root.checks)
    file.add({ ...open, requirement: root.id, name, cause: 'configuration', reason: 'wrong secret' })
  const results = file.finish()
  const checks = results.requirements.flatMap((one) => one.checks)
  expect(new Set(checks.map(({ cause }) => cause))).toEqual(new Set(['configuration']))
  expect(inconclusiveByCause(results)).toMatchObject([
    { cause: 'configuration', reasons: [{ reason: 'wrong secret', ids: [root.id, follower.id] }] },
  ])
})

test('at the end of a run, no check refers to a requirement that holds', () => {
  const [example] = outcomes
  const [holding, follower] = requirements.filter(({ checks }) => checks.length > 0)
  if (!example || !holding || !follower) throw new Error('the synthetic run has no such requirements')
  const file = new ResultsFile(createRunDirectory(reportDir, 'holds'), facts, [holding, follower])
  const dependsOn = [holding.id, 'TOKEN-NOT-SELECTED'] as RequirementId[]
  const inconclusive = {
    ...example,
    verdict: 'inconclusive',
    cause: 'environment',
    reason: 'no code',
    dependsOn,
  } as const
  for (const name of follower.checks) file.add({ ...inconclusive, requirement: follower.id, name })
  for (const name of holding.checks) file.add({ ...example, verdict: 'pass', requirement: holding.id, name })
  const results = file.finish()
  const checks = results.requirements.find(({ id }) => id === follower.id)?.checks ?? []
  expect(checks.map((check) => check.dependsOn)).toEqual(follower.checks.map(() => ['TOKEN-NOT-SELECTED']))
})

test('a result of an unselected requirement is rejected', () => {
  const file = new ResultsFile(createRunDirectory(reportDir, 'foreign'), facts, [])
  expect(() => outcomes.map((outcome) => file.add(outcome))).toThrow('DISCOVERY-PUBLIC was not selected')
})

test('a killed run keeps all finished checks, and its report can be built', async () => {
  const { child, ended } = startSyntheticRun(join(reportDir, 'killed'), 250)
  const directory = join(reportDir, 'killed', 'runs', facts.id)
  const finished = () =>
    existsSync(join(directory, 'results.json'))
      ? readRun(directory).requirements.filter(({ checks }) => checks.length > 0).length
      : 0
  await vi.waitUntil(() => finished() >= 3, { timeout: 50_000, interval: 5 })
  const before = finished()
  child.kill('SIGKILL')
  await ended
  const results = readRun(directory)
  expect(results.run).toMatchObject({ completed: false, finishedAt: null })
  expect(schemaErrors(results)).toEqual([])
  expect(finished()).toBeGreaterThanOrEqual(before)
  expect(finished()).toBeLessThan(requirements.length - 1)

  const report = await writeReports(directory)
  expect(readFileSync(report ?? '', 'utf8')).toContain('Plumbline')
  expect(readFileSync(join(directory, 'summary.md'), 'utf8')).toContain('ended early')
})
