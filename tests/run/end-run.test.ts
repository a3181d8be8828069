import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, expect, test, vi } from 'vitest'
import type { Verdict } from '../../src/check/verdict.ts'
import { ResultsFile } from '../../src/results/results-file.ts'
import { endRun } from '../../src/run/end-run.ts'
import { facts, outcomes, requirements } from '../results/fixture/synthetic.ts'

const reports = mkdtempSync(join(tmpdir(), 'plumbline-end-'))
afterAll(() => rmSync(reports, { recursive: true, force: true }))

/** A run of one check whose folder is gone, so that no file of it can be written. */
function unwritable(verdict: Verdict) {
  const directory = join(reports, verdict)
  mkdirSync(directory)
  const outcome = outcomes.find((one) => one.verdict === verdict)
  const selected = requirements.find(({ id }) => id === outcome?.requirement)
  if (!outcome || !selected) throw new Error(`the synthetic run has no check with ${verdict}`)
  const file = new ResultsFile(directory, facts, [{ ...selected, checks: [outcome.name] }])
  file.add(outcome)
  rmSync(directory, { recursive: true })
  writeFileSync(directory, '')
  const output = new PassThrough()
  const stream = output as unknown as NodeJS.WriteStream
  const ended = endRun(file, { stopped: undefined, output: stream, report: false })
  return { id: selected.id, ended, shown: () => String(output.read()) }
}

test('a file that cannot be written hides no violation: the summary is printed first, and the exit code is unchanged', async () => {
  const error = vi.spyOn(console, 'error').mockReturnValue()
  try {
    const { id, ended, shown } = unwritable('fail')
    expect(await ended).toMatchObject({ exitCode: 1 })
    expect(shown()).toContain(id)
    expect(error).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/results\.json cannot be written \(ENOTDIR\)/),
    )
  } finally {
    error.mockRestore()
  }
})

test('without a violation, a file that cannot be written is the error of the run, after the summary', async () => {
  const { ended, shown } = unwritable('pass')
  await expect(ended).rejects.toThrow(/results\.json cannot be written/)
  expect(shown()).toContain('1 requirement: 1 pass; 1 check')
})
