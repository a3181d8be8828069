import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, vi } from 'vitest'
import type { RunResults } from '../../src/results/results.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'
import { plumbline, startPlumbline } from './command.ts'

const ended = new Date(Date.now() - 60_000).toISOString()
export const firstRun = '20261119T000000Z-uat-0001'
export const secondRun = '20261120T000000Z-uat-0002'
/** The requirements of the stored runs. */
export const ids = ['TOKEN-TYPE-BEARER', 'EVENT-WINDOW-LIMIT'] as const
export const passes: RequirementFixture[] = ids.map((id) => ({ id, verdict: 'pass' }))
export const oneFails: RequirementFixture[] = [
  { id: ids[0], verdict: 'pass' },
  { id: ids[1], verdict: 'fail', reason: 'the response differs' },
]

/** Runs commands in a folder with stored runs. The folder has no runs at the start of each test. */
export class StoredRuns {
  folder!: string

  /** Creates the folder for the tests of the calling file. */
  constructor() {
    // Every test starts several processes, and is slow on a busy machine.
    vi.setConfig({ testTimeout: 120_000 })
    beforeAll(() => {
      this.folder = mkdtempSync(join(tmpdir(), 'plumbline-gate-'))
    })
    beforeEach(() => rmSync(join(this.folder, 'reports'), { recursive: true, force: true }))
    afterAll(() => rmSync(this.folder, { recursive: true, force: true }))
  }

  /** Runs `plumbline` in the folder. */
  async run(...words: string[]) {
    const { code, stdout, stderr } = await plumbline(words, this.#place)
    return { code, out: stdout, error: stderr }
  }

  /** Runs `plumbline` in the folder as a separate process. */
  async start(...words: string[]) {
    const { code, stdout } = await startPlumbline(words, this.#place).ended
    return { code, out: stdout }
  }

  /** Stores a run with these verdicts as the latest one. @returns its directory */
  save(id: string, fixtures: readonly RequirementFixture[], run: Partial<RunResults['run']> = {}): string {
    const directory = join(this.folder, 'reports', 'runs', id)
    mkdirSync(directory, { recursive: true })
    const results = runOf(fixtures, { id, startedAt: ended, finishedAt: ended, ...run })
    writeFileSync(join(directory, 'results.json'), JSON.stringify(results, null, 2))
    rmSync(join(this.folder, 'reports', 'latest'), { force: true })
    writeFileSync(join(this.folder, 'reports', 'latest'), `runs/${id}\n`)
    return directory
  }

  get #place() {
    return { cwd: this.folder, env: { REPORT_DIR: 'reports' } }
  }
}
