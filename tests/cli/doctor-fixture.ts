import { mkdtempSync, rmSync } from 'node:fs'
import type { createServer } from 'node:http'
import type { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, vi } from 'vitest'
import { type RunningProvider, startProvider } from '../../provider/index.ts'
import type { Diagnosis } from '../../src/doctor/diagnosis.ts'
import { plumbline, startPlumbline } from './command.ts'

interface Output {
  readonly exitCode: number
  readonly findings: readonly Diagnosis[]
  readonly variables: readonly { readonly name: string; readonly shape: string | null }[]
  readonly requests: number
  readonly logins: number
}

/** Runs `plumbline doctor` in a folder, with a provider as its target; both end with the test file. */
export class Doctor {
  provider!: RunningProvider
  folder!: string

  /** Starts the provider and creates the folder for the tests of the calling file. */
  constructor() {
    // Each test starts processes, and is slow on a busy machine.
    vi.setConfig({ testTimeout: 120_000 })
    beforeAll(async () => {
      this.provider = await startProvider()
      this.folder = mkdtempSync(join(tmpdir(), 'plumbline-doctor-'))
      return async () => {
        await this.provider.close()
        rmSync(this.folder, { recursive: true })
      }
    })
  }

  /** Runs `plumbline doctor --json` and returns its output. In `changes`, null removes a variable. */
  async diagnosed(
    changes: Readonly<Record<string, string | null>> = {},
    words: readonly string[] = [],
    variables: Readonly<Record<string, string>> = this.provider.variables,
    run: typeof plumbline = plumbline,
  ): Promise<Output & { readonly output: string; readonly code: number | null }> {
    const env = Object.fromEntries(
      Object.entries({ ...variables, ...changes }).filter(
        (entry): entry is [string, string] => entry[1] !== null,
      ),
    )
    const { code, stdout, stderr } = await run(['doctor', '--json', ...words], { cwd: this.folder, env })
    expect(stderr).toBe('')
    return { ...(JSON.parse(stdout) as Output), output: stdout, code }
  }
}

/** Runs `plumbline` in its own process, because Node reads certificates only when it starts. */
export const inOwnProcess = (words: readonly string[], place: { readonly cwd: string }) =>
  startPlumbline(words, place).ended

export const withSeverity = ({ findings }: Output, severity: Diagnosis['severity']) =>
  findings.filter((finding) => finding.severity === severity)

/** Starts a server that ends with the test. @returns its origin */
export async function listening(
  server: ReturnType<typeof createServer> | ReturnType<typeof createSecureServer>,
): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http${'setSecureContext' in server ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`
}
