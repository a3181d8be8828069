import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Comparison } from '../../src/compare/compare.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'
import { firstRun, ids, oneFails, passes, StoredRuns, secondRun } from './stored-runs.ts'

const runs = new StoredRuns()

describe('plumbline compare', () => {
  beforeEach(() => {
    runs.save(firstRun, passes)
    runs.save(secondRun, oneFails)
  })

  test('compares the last two runs or two named ones; drift determines the exit code only with --fail-on drift', async () => {
    const { code, out } = await runs.start('compare')
    expect(out).toContain('EVENT-WINDOW-LIMIT  pass → fail; the response differs')
    expect(out).not.toContain('\x1b')
    expect(code).toBe(0)
    expect((await runs.run('compare', 'previous', 'latest')).out).toBe(out)
    expect((await runs.run('compare', 'latest~1')).out).toBe(out)
    expect((await runs.run('compare', '--fail-on', 'drift')).code).toBe(1)
    expect((await runs.run('compare', 'latest', 'latest', '--fail-on', 'drift')).code).toBe(0)
  })

  test('prints JSON or Markdown', async () => {
    const comparison = JSON.parse((await runs.run('compare', '--json')).out) as Comparison
    expect(comparison.changed.map(({ id }) => id)).toEqual(['EVENT-WINDOW-LIMIT'])
    const { out } = await runs.run('compare', '--markdown')
    expect(out).toContain('| EVENT-WINDOW-LIMIT | pass → fail | the response differs |')
  })

  test('an inconclusive requirement is neither drift nor its absence: exit code 2', async () => {
    runs.save('20261121T000000Z-uat-0003', [
      passes[0] as RequirementFixture,
      { id: ids[1], verdict: 'inconclusive' },
    ])
    expect((await runs.run('compare', 'latest~2', 'latest', '--fail-on', 'drift')).code).toBe(2)
    const comparison = JSON.parse(
      (await runs.run('compare', 'latest~2', 'latest', '--json')).out,
    ) as Comparison
    expect(comparison.inconclusive.map(({ id }) => id)).toEqual([ids[1]])
  })

  test('refuses invalid input with one sentence', async () => {
    const broken = (text: string) => {
      const directory = join(runs.folder, 'reports', 'runs', 'broken')
      mkdirSync(directory, { recursive: true })
      writeFileSync(join(directory, 'results.json'), text)
      return runs.run('compare', 'broken', 'latest')
    }
    const newer = { formatVersion: 3, run: { id: 'x' } }
    const whole = runOf(passes)
    const cut = runOf(passes, { completed: false, finishedAt: null })
    const [first] = whole.requirements
    const wrong = { ...whole, requirements: [{ ...first, verdict: 'green' }] }
    runs.save('probe', passes, { kind: 'probe' })
    for (const [{ code, out, error }, sentence] of [
      [
        await runs.run('compare', 'none', 'latest'),
        /^RUN_A none is neither a directory with results\.json nor a run/,
      ],
      [await runs.run('compare', 'latest', 'latest~9'), /^RUN_B latest~9 is neither/],
      [await broken('{ "formatVersion": 1,\n'), /^RUN_A .*results\.json:2 is not JSON/],
      [await broken('null'), /^RUN_A .*results\.json:1 must be an object/],
      [
        await broken(JSON.stringify(newer)),
        /has format 3, but this version of Plumbline reads formats up to 2: use the newer version that wrote it/,
      ],
      [
        await broken(JSON.stringify(wrong)),
        /:1 requirements\[0\]\.verdict must be one of pass, .*, not "green"/,
      ],
      [await broken(JSON.stringify(cut)), /is incomplete/],
      [
        await runs.run('compare', firstRun, 'probe'),
        /is a check run and RUN_B \S+ is a probe run: give two runs of the same kind/,
      ],
      [await runs.run('compare', '--json', '--markdown'), /exclude each other/],
      [await runs.run('compare', '--fail-on', 'change'), /Allowed choices are drift/],
      [
        await runs.run('compare'),
        /^RUN_A is not given, and there is no earlier complete run comparable with probe/,
      ],
    ] as const) {
      expect(error).toMatch(sentence)
      expect(error.trimEnd().split('\n')).toHaveLength(1)
      expect(out).toBe('')
      expect(code).toBe(3)
    }
  })
})
