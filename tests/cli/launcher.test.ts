import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { projectRoot } from '../../src/project.ts'
import { Workplace } from './workplace.ts'

const work = new Workplace()

test('a run ends when its launcher has ended, and keeps its results', async () => {
  const child = spawn(
    process.execPath,
    [join(projectRoot, 'bin/plumbline.mjs'), 'check', '--no-report', '--out', work.cwd],
    {
      cwd: work.cwd,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...work.provider.variables },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    },
  )
  const runs = join(work.cwd, 'runs')
  const results = () =>
    existsSync(runs)
      ? readdirSync(runs).flatMap((id) => {
          const file = join(runs, id, 'results.json')
          return existsSync(file) ? [JSON.parse(readFileSync(file, 'utf8'))] : []
        })
      : []
  await vi.waitFor(() => expect(results()).toHaveLength(1), { timeout: 60_000, interval: 100 })
  const exited = once(child, 'exit')
  // The channel closes like this when the launcher is killed.
  child.disconnect()
  expect(await exited).toEqual([130, null])
  const { length } = work.provider.requests
  expect(results()[0].run.completed).toBe(false)
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(work.provider.requests).toHaveLength(length)
})
