import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { startProvider } from '../../provider/index.ts'
import { readRun } from '../../src/results/saved-run.ts'
import { plumbline } from '../cli/command.ts'

// Each test is a separate run.
vi.setConfig({ testTimeout: 60_000 })

const folder = mkdtempSync(join(tmpdir(), 'plumbline-reasons-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The reasons of inconclusive checks of a requirement, with the requirements that they depend on. */
async function reasonsWith(fault: string, requirement: string) {
  const reports = join(folder, fault)
  const provider = await startProvider({ faults: [fault] })
  await plumbline(['check', '--only', requirement, '--no-report'], {
    cwd: folder,
    env: { ...provider.variables, REPORT_DIR: reports, NO_COLOR: '1' },
  })
  await provider.close()
  return readRun(join(reports, 'latest'))
    .requirements.filter(({ id }) => id === requirement)
    .flatMap(({ checks }) => checks)
    .filter(({ verdict }) => verdict === 'inconclusive')
    .map(({ reason, dependsOn }) => [reason, dependsOn])
}

describe('an inconclusive check depends on the requirement that is violated', () => {
  test('if no timestamp can be read', async () => {
    expect(await reasonsWith('event-timestamp-with-comma', 'EVENT-PAGINATION')).toEqual([
      ['the times of events cannot be read', ['EVENT-TIMESTAMP']],
    ])
  })

  test('if the largest page is smaller than the default', async () => {
    const reason = ['pageSize=10 does not return a page of ten events', ['EVENT-PAGE-SIZE-STATED']]
    expect(await reasonsWith('page-size-capped-at-5', 'EVENT-PAGE-SIZE-DEFAULT')).toEqual([reason, reason])
  })
})
