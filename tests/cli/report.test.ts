import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { runOf } from '../results/fixture/runs.ts'
import { startPlumbline } from './command.ts'

describe.skipIf(process.platform !== 'linux')('plumbline report --open', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-report-open-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const run = join(folder, '20261119T000000Z-uat-0001')
  mkdirSync(run)
  writeFileSync(join(run, 'results.json'), JSON.stringify(runOf([{ id: 'TOKEN-A', verdict: 'pass' }])))

  test.each([
    ['a viewer that shows the report', 'exit 0', ''],
    ['a viewer that stays open', 'sleep 5', ''],
    [
      'no viewer for the file',
      'exit 3',
      'xdg-open cannot open the report: open the file in a browser yourself.\n',
    ],
  ])('with %s', async (_, script, stderr) => {
    const viewer = join(folder, 'xdg-open')
    writeFileSync(viewer, `#!/bin/sh\n${script}\n`)
    chmodSync(viewer, 0o700)
    const env = { PATH: `${folder}${delimiter}${process.env.PATH}` }
    const { ended } = startPlumbline(['report', run, '--open'], { cwd: folder, env })
    const stdout = `${join('20261119T000000Z-uat-0001', 'report', 'index.html')}\n`
    expect(await ended).toEqual({ code: 0, stdout, stderr })
  })
})
