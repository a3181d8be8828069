import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, vi } from 'vitest'
import { type RunningProvider, startProvider } from '../../provider/index.ts'
import { plumbline, startPlumbline } from './command.ts'

/** Runs the command like a user: in an empty folder for each test, with one provider for all tests of a file. */
export class Workplace {
  provider!: RunningProvider
  cwd!: string

  /** Creates the workplace for the tests of the calling file. */
  constructor() {
    // Each test starts processes, and is slow on a busy machine.
    vi.setConfig({ testTimeout: 120_000 })
    beforeAll(async () => {
      this.provider = await startProvider()
      return () => this.provider.close()
    })
    beforeEach(() => {
      this.cwd = mkdtempSync(join(tmpdir(), 'plumbline-work-'))
      return () => rmSync(this.cwd, { recursive: true })
    })
  }

  /** Runs `plumbline` in the folder, with the provider as its target. In `changes`, undefined removes a variable. */
  run(words: readonly string[], changes: Readonly<Record<string, string | undefined>> = {}) {
    return plumbline(words, { cwd: this.cwd, env: { ...this.provider.variables, ...changes } })
  }

  /** Starts `plumbline` like `run`, but as a separate process. */
  start(words: readonly string[], changes: Readonly<Record<string, string | undefined>> = {}) {
    return startPlumbline(words, { cwd: this.cwd, env: { ...this.provider.variables, ...changes } })
  }

  /** Values that no file and no output may contain. */
  secrets(): string[] {
    return Object.entries(this.provider.variables)
      .filter(([name]) => /SECRET$|PASSWORD|TEST_USER/.test(name))
      .map(([, value]) => value)
  }
}
