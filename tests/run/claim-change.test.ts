import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { startProvider } from '../../provider/index.ts'
import { projectRoot } from '../../src/project.ts'
import { readRun } from '../../src/results/saved-run.ts'
import { plumbline, startPlumbline } from '../cli/command.ts'

// Each test is a separate run: a process, a browser, and seconds of waiting on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const folder = mkdtempSync(join(tmpdir(), 'plumbline-claims-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const canary = 'Canarinette'
const recipe = JSON.parse(readFileSync(join(projectRoot, 'provider/claim-recipe.json'), 'utf8'))
let files = 0

/** A run of the checks that change a claim, with the events that the provider published meanwhile. */
async function run(
  variants: string[],
  changes: Readonly<Record<string, unknown>> = {},
  environment: Readonly<Record<string, string>> = {},
  interrupt = false,
) {
  files += 1
  const file = join(folder, `recipe-${files}.json`)
  const reports = join(folder, `reports-${files}`)
  const { $schema: _, ...plain } = recipe
  writeFileSync(file, JSON.stringify({ ...plain, other: canary, ...changes }))
  const provider = await startProvider({ variants })
  const words = ['check', '--only', 'EVENT-SUBSCRIBER', 'EVENT-CLAIM-CHANGE-*']
  const variables = { CLAIM_RECIPE: file, REPORT_DIR: reports, NO_COLOR: '1', ...environment }
  const place = { cwd: folder, env: { ...provider.variables, ...variables } }
  const started = interrupt ? startPlumbline(words, place) : undefined
  const published: unknown[] = []
  provider.hub.onPublished(({ payload }) => {
    published.push(payload)
    if (published.length === 1) started?.child.kill('SIGINT')
  })
  const { code, stdout, stderr } = await (started?.ended ?? plumbline(words, place))
  const output = stdout + stderr
  const visits = provider.requests.filter(({ path }) => path === '/mga/sps/authsvc/account')
  await provider.close()
  return { code, output, published, visits, reports }
}

/** All files of a run as one text. */
function written(reports: string): string {
  return readdirSync(reports, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}

const reasonsIn = (reports: string) =>
  readRun(join(reports, 'latest')).requirements.flatMap(({ checks }) => checks.map(({ reason }) => reason))

describe('a run that changes a claim', () => {
  test('changes it once, restores it, and keeps its values to itself', async () => {
    const { code, output, published, visits, reports } = await run([])
    expect(output).not.toContain('NOT RESTORED')
    expect(code).toBe(0)
    expect(published).toEqual([{ claims: { given_name: canary } }, { changedClaims: ['given_name'] }])
    // Read, change, verify before the restoration, restore, verify after it; two saves redirect to the page.
    expect(visits.length).toBeLessThanOrEqual(11)
    expect(written(reports) + output).not.toContain(canary)
  })

  test('restores it when it is interrupted while it waits for the event', async () => {
    const { code, published, output } = await run(
      ['change-event-too-late'],
      { eventWithinSeconds: 60 },
      {},
      true,
    )
    expect(output).not.toContain('NOT RESTORED')
    expect(code).toBe(130)
    expect(published, output).toHaveLength(2)
  })

  test('does not blame EVENT_TIME_ZONE if only the event of the restoration arrives in time', async () => {
    const { code, reports } = await run(['first-change-event-too-late'])
    expect(code).toBe(2)
    const checks = readRun(join(reports, 'latest')).requirements.flatMap((requirement) => requirement.checks)
    expect(checks.map(({ cause }) => cause)).toContain('environment')
    expect(checks.map(({ cause }) => cause)).not.toContain('configuration')
    expect(reasonsIn(reports)).toContainEqual(
      expect.stringMatching(/^no event of the changed claim was found within \d+ s$/),
    )
  })

  test('reports a claim that it cannot restore as an error', async () => {
    const { code, output, published, reports } = await run(['claim-cannot-be-restored'])
    expect(code).toBe(2)
    expect(published).toHaveLength(1)
    expect(output).toContain('THE CLAIM OF THE TEST USER WAS NOT RESTORED')
    expect(reasonsIn(reports)).toContainEqual(expect.stringContaining('restore it by hand'))
    expect(written(reports) + output).not.toContain(canary)
  })

  test('changes nothing if the claim already has the other value', async () => {
    const { code, output, published } = await run([], { other: 'Ada' })
    expect(code).toBe(2)
    expect(published).toHaveLength(0)
    expect(output).toMatch(/restore the claim by hand, and add its usual\s+value to\s+CLAIM_RECIPE/)
  })

  test('restores the value that an earlier run left changed, if the recipe names the normal value', async () => {
    const { code, output, published, reports } = await run([], { other: 'Ada', normal: canary })
    expect(code).toBe(0)
    expect(published).toEqual([{ claims: { given_name: canary } }])
    expect(written(reports) + output).not.toContain(canary)
  })

  test('changes nothing if too few requests are left to restore it', async () => {
    const { published, output } = await run([], {}, { REQUEST_BUDGET: '35' })
    expect(published).toHaveLength(0)
    expect(output.replaceAll(/\s+/g, ' ')).toContain('too few to change a claim and restore it')
  })

  test('reports a field that does not exist', async () => {
    const limit = { LOGIN_TIMEOUT_SECONDS: '5' }
    const { published, output } = await run([], { field: { label: 'Favourite colour' } }, limit)
    expect(published).toHaveLength(0)
    expect(output.replaceAll(/\s+/g, ' ')).toContain(
      'field in CLAIM_RECIPE matches nothing visible within 5 s: label="Favourite colour"',
    )
  })

  test('refuses a recipe for another host before anything is sent', async () => {
    const { code, output, visits } = await run([], { page: 'https://elsewhere.example.com/account' })
    expect(code).toBe(3)
    expect(output).toMatch(
      /CLAIM_RECIPE points to .* page is on elsewhere\.example\.com, but must be on a host/,
    )
    expect(visits).toHaveLength(0)
  })
})
