import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runsIn } from '../../src/results/past-runs.ts'
import { createRunDirectory, findRun } from '../../src/results/run-directory.ts'
import { runOf } from './fixture/runs.ts'

let reports = ''
beforeEach(() => {
  reports = mkdtempSync(join(tmpdir(), 'plumbline-runs-'))
})
afterEach(() => rmSync(reports, { recursive: true }))

function save(id: string, change: (run: Record<string, unknown>) => object = (run) => run): void {
  const directory = join(reports, 'runs', id)
  mkdirSync(directory, { recursive: true })
  const { run, ...rest } = runOf([{ id: 'A', verdict: 'fail' }], { id })
  writeFileSync(join(directory, 'results.json'), JSON.stringify({ ...rest, run: change({ ...run }) }))
}

const [first, second, third] = [1, 2, 3].map((day) => `2026010${day}T000000000Z-uat-0000`) as [
  string,
  string,
  string,
]

describe('the runs of a folder', () => {
  test('are in the order of time; those with names of their own are the last', () => {
    save(second)
    save('baseline')
    save(third)
    save(first)
    expect(runsIn(reports).map(({ id }) => id)).toEqual([third, second, first, 'baseline'])
  })

  test.each([null, 5, {}, { only: null, areas: null }, { only: [5], areas: [] }])(
    'have no selection if it is malformed: %j',
    (selection) => {
      save(first, (run) => ({ ...run, selection }))
      const [past] = runsIn(reports)
      expect(past?.head.run).toMatchObject({ id: first, target: 'uat' })
      expect(past?.head.run).not.toHaveProperty('selection')
      expect(past?.results).toBeUndefined()
    },
  )

  test('may have each target that their names do not exclude', () => {
    save(first)
    save('baseline')
    const targets = (['uat', 'production'] as const).map((target) =>
      runsIn(reports).map((run) => run.mayHaveTarget(target)),
    )
    expect(targets).toEqual([
      [true, true],
      [false, true],
    ])
  })
})

describe('the latest run', () => {
  const nameOf = (run?: string) => basename(findRun(reports, run) ?? 'none')

  test('is the newest one if `latest` is missing, leads nowhere, or is a copy of a run', () => {
    expect(nameOf()).toBe('none')
    save(first)
    save(second)
    expect(nameOf()).toBe(second)
    expect(nameOf('previous')).toBe(first)
    const latest = join(reports, 'latest')
    symlinkSync('runs/nowhere', latest)
    expect(nameOf()).toBe(second)
    rmSync(latest)
    cpSync(join(reports, 'runs', first), latest, { recursive: true })
    expect(nameOf()).toBe(second)
    expect(nameOf('latest~1')).toBe(first)
  })

  test('is a copy of a run without other runs', () => {
    save(first)
    cpSync(join(reports, 'runs', first), join(reports, 'latest'), { recursive: true })
    rmSync(join(reports, 'runs'), { recursive: true })
    expect(findRun(reports)).toBe(join(reports, 'latest'))
  })

  test('replaces a copy of another run, but no other directory', () => {
    save(first)
    const latest = join(reports, 'latest')
    cpSync(join(reports, 'runs', first), latest, { recursive: true })
    createRunDirectory(reports, second)
    expect(lstatSync(latest).isDirectory()).toBe(false)
    rmSync(latest)
    mkdirSync(latest)
    writeFileSync(join(latest, 'notes.txt'), '')
    expect(() => createRunDirectory(reports, third)).toThrow(/is not writable/)
    expect(existsSync(join(latest, 'notes.txt'))).toBe(true)
  })
})
