import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Comparison } from '../../src/compare/comparison.ts'
import { projectRoot } from '../../src/project.ts'
import type { ReleaseDecision } from '../../src/release/decision.ts'
import { pages } from '../../src/report/pages/page.ts'
import type { RunResults } from '../../src/results/results.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'
import { plumbline, startPlumbline } from './command.ts'

// Every test starts several processes, and is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plumbline-gate-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the command with reports in the folder of this test. */
async function run(...words: string[]) {
  const { code, stdout, stderr } = await plumbline(words, { cwd: folder, env: { REPORT_DIR: 'reports' } })
  return { code, out: stdout, error: stderr }
}

/** The same as a separate process. */
async function start(...words: string[]) {
  const place = { cwd: folder, env: { REPORT_DIR: 'reports' } }
  const { code, stdout } = await startPlumbline(words, place).ended
  return { code, out: stdout }
}

const ended = new Date(Date.now() - 60_000).toISOString()
const ids = ['TOKEN-TYPE-BEARER', 'EVENT-WINDOW-LIMIT'] as const
function save(id: string, fixtures: readonly RequirementFixture[], run: Partial<RunResults['run']> = {}) {
  const directory = join(folder, 'reports', 'runs', id)
  mkdirSync(directory, { recursive: true })
  const results = runOf(fixtures, { id, startedAt: ended, finishedAt: ended, ...run })
  writeFileSync(join(directory, 'results.json'), JSON.stringify(results, null, 2))
  rmSync(join(folder, 'reports', 'latest'), { force: true })
  writeFileSync(join(folder, 'reports', 'latest'), `runs/${id}\n`)
  return directory
}
const good = save.bind(undefined, '20261119T000000Z-uat-0001')
const passes: RequirementFixture[] = ids.map((id) => ({ id, verdict: 'pass' }))
const oneFails: RequirementFixture[] = [
  { id: ids[0], verdict: 'pass' },
  { id: ids[1], verdict: 'fail', reason: 'the response differs' },
]

beforeEach(() => {
  rmSync(join(folder, 'reports'), { recursive: true, force: true })
})

describe('plumbline compare', () => {
  beforeEach(() => {
    good(passes)
    save('20261120T000000Z-uat-0002', oneFails)
  })

  test('without runs, or with two, shows the changes; drift determines the exit code only with --fail-on drift', async () => {
    const { code, out } = await start('compare')
    expect(out).toContain('EVENT-WINDOW-LIMIT  pass → fail; the response differs')
    expect(out).not.toContain('\x1b')
    expect(code).toBe(0)
    expect((await run('compare', 'previous', 'latest')).out).toBe(out)
    expect((await run('compare', 'latest~1')).out).toBe(out)
    expect((await run('compare', '--fail-on', 'drift')).code).toBe(1)
    expect((await run('compare', 'latest', 'latest', '--fail-on', 'drift')).code).toBe(0)
  })

  test('as JSON and as Markdown', async () => {
    const comparison = JSON.parse((await run('compare', '--json')).out) as Comparison
    expect(comparison.changed.map(({ id }) => id)).toEqual(['EVENT-WINDOW-LIMIT'])
    const { out } = await run('compare', '--markdown')
    expect(out).toContain('| EVENT-WINDOW-LIMIT | pass → fail | the response differs |')
  })

  test('an inconclusive requirement is neither drift nor its absence', async () => {
    save('20261121T000000Z-uat-0003', [
      passes[0] as RequirementFixture,
      { id: ids[1], verdict: 'inconclusive' },
    ])
    expect((await run('compare', 'latest~2', 'latest', '--fail-on', 'drift')).code).toBe(2)
  })

  test('bad input is refused with one sentence', async () => {
    const broken = (text: string) => {
      const directory = join(folder, 'reports', 'runs', 'broken')
      mkdirSync(directory, { recursive: true })
      writeFileSync(join(directory, 'results.json'), text)
      return run('compare', 'broken', 'latest')
    }
    const newer = { formatVersion: 3, run: { id: 'x' } }
    const whole = runOf(passes)
    const cut = runOf(passes, { completed: false, finishedAt: null })
    const [first] = whole.requirements
    const wrong = { ...whole, requirements: [{ ...first, verdict: 'green' }] }
    save('probe', passes, { kind: 'probe' })
    for (const [{ code, out, error }, sentence] of [
      [
        await run('compare', 'none', 'latest'),
        /^RUN_A none is neither a directory with results\.json nor a run/,
      ],
      [await run('compare', 'latest', 'latest~9'), /^RUN_B latest~9 is neither/],
      [await broken('{ "formatVersion": 1,\n'), /^RUN_A .*results\.json:2 is not JSON/],
      [await broken('null'), /^RUN_A .*results\.json:1 must be object/],
      [
        await broken(JSON.stringify(newer)),
        /has format 3, but this version of Plumbline reads format 2: use the newer version that wrote it/,
      ],
      [
        await broken(JSON.stringify(wrong)),
        /:1 requirements\[0\]\.verdict must be one of pass, .*, not "green"/,
      ],
      [await broken(JSON.stringify(cut)), /is incomplete/],
      [
        await run('compare', '20261119T000000Z-uat-0001', 'probe'),
        /is a check run and RUN_B \S+ is a probe run: name two runs of the same kind/,
      ],
      [await run('compare', '--json', '--markdown'), /exclude each other/],
      [await run('compare', '--fail-on', 'change'), /Allowed choices are drift/],
      [
        await run('compare'),
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

describe('plumbline gate', () => {
  const policy = (rest: object = {}) => {
    const file = join(folder, 'policy.json')
    const rules = { target: 'uat', maximumAgeHours: 24, levels: ['must'], inconclusive: 'block', ...rest }
    writeFileSync(file, JSON.stringify(rules, null, 2))
    return ['--policy', 'policy.json']
  }
  const waivers = (rest: object = {}) => {
    const one = {
      requirement: ids[1],
      target: 'uat',
      reason: 'fixed with the next release',
      owner: 'team events',
      issue: 'https://issues.example.com/EH-1',
      expires: '2099-12-31',
      ...rest,
    }
    writeFileSync(join(folder, 'waivers.json'), JSON.stringify({ waivers: [one] }, null, 2))
    return ['--waivers', 'waivers.json']
  }

  test('exits with 0 for yes, 1 for a violation, 2 for an inconclusive requirement, 3 for a mistake', async () => {
    good(passes)
    const yes = await run('gate', ...policy())
    expect(yes.out).toMatch(/^Release: yes\. All 2 applicable requirements hold\.\n/)
    expect(yes.code).toBe(0)
    const old = await run('gate', ...policy({ target: 'production' }))
    expect(old.out).toMatch(/^Release: not decided \(the run is of uat/)
    expect(old.code).toBe(2)
    save('20261120T000000Z-uat-0002', oneFails)
    const no = await run('gate', ...policy())
    expect(no.out).toMatch(/^Release: no\. 1 requirement is violated: EVENT-WINDOW-LIMIT\.\n/)
    expect(no.code).toBe(1)
    expect((await run('gate', 'previous', ...policy())).code).toBe(0)
    expect((await run('gate', ...policy(), ...waivers())).code).toBe(0)
    expect((await run('gate', ...policy(), ...waivers({ expires: '2020-01-01' }))).code).toBe(1)
    for (const { code, error, out } of [
      await run('gate', ...policy({ maximumAge: 2 })),
      await run('gate', '--policy', 'none.json'),
      await run('gate', ...policy({ areas: ['tokens'] })),
      await run('gate', ...policy(), ...waivers({ issue: 'EH-1' })),
      await run('gate', 'none', ...policy()),
    ]) {
      expect(error.trimEnd().split('\n')).toHaveLength(1)
      expect(error).toMatch(/^--policy |^--waivers |^RUN none/)
      expect(out).toBe('')
      expect(code).toBe(3)
    }
  })

  test('an incomplete run blocks with exit code 2', async () => {
    good(passes, { completed: false, finishedAt: null })
    const { code, out } = await run('gate', ...policy())
    expect(out).toMatch(/^Release: not decided \(the run is incomplete/)
    expect(code).toBe(2)
  })

  test('of a partial run names what it did not check, the run that the policy needs, and the newest complete one', async () => {
    good(passes)
    const [only] = passes as [RequirementFixture]
    save('20261120T000000Z-uat-0002', [only], { selection: { only: [only.id], areas: [] } })
    const { code, out } = await run('gate', ...policy())
    expect(code).toBe(2)
    const text = out.replace(/\s+/g, ' ')
    expect(text).toMatch(
      /^Release: not decided \(the run checked TOKEN-TYPE-BEARER only, not the other \d{3} requirements/,
    )
    expect(text).toMatch(/The policy needs a complete check run of uat, .* npx plumbline check --target uat /)
    expect(out).toContain('\n  npx plumbline gate 20261119T000000Z-uat-0001\n')
  })

  test('of a policy for one area names this area, and no other run if the answer is yes', async () => {
    good(passes)
    save('20261120T000000Z-uat-0002', passes, { selection: { only: [], areas: ['token'] } })
    const { code, out } = await run('gate', ...policy({ areas: ['token'] }))
    expect(code).toBe(0)
    expect(out).toContain('level must, the area token;')
    expect(out).not.toContain('Newest complete')
    const text = (await run('gate', ...policy())).out.replace(/\s+/g, ' ')
    expect(text).toContain(' old, which needs the variables of all areas: npx plumbline check --target uat ')
  })

  test('shows a reason that several requirements share once', async () => {
    const stopped = (id: string): RequirementFixture => ({ id, verdict: 'inconclusive', reason: 'no login' })
    good(['A1', 'A2', 'A3', 'A4', 'A5'].map(stopped))
    const { out } = await run('gate', ...policy())
    expect(out.replace(/\s+/g, ' ')).toContain('5 requirements throttled: no login: A1, A2, A3, and 2 more')
    expect(out.match(/no login/g)).toHaveLength(1)
  })

  test('JSON matches its schema, Markdown begins with the decision', async () => {
    save('20261120T000000Z-uat-0002', oneFails)
    const given = [...policy(), ...waivers()]
    const decision = JSON.parse((await run('gate', ...given, '--json')).out) as ReleaseDecision
    const schema = readFileSync(join(projectRoot, 'schemas', 'release-decision.schema.json'), 'utf8')
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv)
    expect(ajv.validate(JSON.parse(schema), decision), ajv.errorsText()).toBe(true)
    expect(decision).toMatchObject({ release: true, waived: [{ requirement: ids[1], verdict: 'fail' }] })
    expect((await run('gate', ...given, '--markdown')).out).toMatch(
      /^# Release: yes\. .*1 that is waived\.\n/,
    )
  })

  test('a requirement that follows from a waived violation is settled, in the format of the schema', async () => {
    good([
      ...oneFails,
      {
        id: 'EVENT-TO-REQUIRED',
        verdict: 'inconclusive',
        reason: 'nothing to ask',
        dependsOn: ['EVENT-WINDOW-LIMIT'],
      },
    ])
    const { code, out } = await run('gate', ...policy(), ...waivers(), '--json')
    const decision = JSON.parse(out) as ReleaseDecision
    expect(decision.following).toMatchObject([{ requirement: 'EVENT-TO-REQUIRED', follows: [ids[1]] }])
    expect(code).toBe(0)
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv)
    const schema = readFileSync(join(projectRoot, 'schemas', 'release-decision.schema.json'), 'utf8')
    expect(ajv.validate(JSON.parse(schema), decision), ajv.errorsText()).toBe(true)
    expect((await run('gate', ...policy(), ...waivers())).out).toMatch(
      /EVENT-TO-REQUIRED +inconclusive, follows from EVENT-WINDOW-LIMIT: nothing to ask/,
    )
  })

  test('the policy and the waivers of the project are valid', async () => {
    good(passes)
    const { out, code } = await start('gate')
    expect(out).toMatch(/^Release: no\. 2 requirements applied/)
    expect(code).toBe(2)
  })

  describe('--record', () => {
    test('contains every file once, with valid checksums', async () => {
      save('20261120T000000Z-uat-0002', oneFails, { software: { node: '24.1.0', browser: '140.0' } })
      const given = [...policy(), ...waivers(), '--record', 'releases/2.4']
      const { code, out } = await run('gate', ...given)
      expect(out).toContain('Record: releases/2.4')
      expect(code).toBe(0)
      const record = join(folder, 'releases', '2.4')
      const names = readdirSync(record, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name)
      expect(names).toEqual(
        expect.arrayContaining([
          ...Object.keys(pages),
          'results.json',
          'policy.json',
          'waivers.json',
          'decision.json',
          'decision.md',
        ]),
      )
      const sums = readFileSync(join(record, 'SHA256SUMS'), 'utf8').trimEnd().split('\n')
      expect(sums).toHaveLength(names.length - 1)
      const check = () => spawnSync('sha256sum', ['-c', '--quiet', 'SHA256SUMS'], { cwd: record }).status
      expect(check()).toBe(0)
      expect(JSON.parse(readFileSync(join(record, 'versions.json'), 'utf8'))).toMatchObject({
        node: { run: '24.1.0', decision: process.versions.node },
        browser: '140.0',
      })
      for (const page of Object.keys(pages)) {
        const html = readFileSync(join(record, 'report', page), 'utf8')
        expect(html).not.toMatch(/<(?:script|link|img|a)\b[^>]*\b(?:src|href)="(?:\w+:\/\/|\/|\.\.)/)
      }
      const again = await run('gate', ...given)
      expect(again.error).toMatch(/^--record releases\/2\.4 already exists, and a record is never replaced/)
      expect(again.code).toBe(3)
      expect(check()).toBe(0)
      writeFileSync(join(record, 'policy.json'), '{}')
      expect(check()).toBe(1)
      expect(readdirSync(join(folder, 'releases'))).toEqual(['2.4'])
    })

    test('of a no is kept too; a place that cannot be written leaves nothing', async () => {
      const directory = save('20261120T000000Z-uat-0002', oneFails)
      mkdirSync(join(directory, 'report'))
      for (const page of Object.keys(pages)) writeFileSync(join(directory, 'report', page), '<!doctype html>')
      expect((await run('gate', ...policy(), '--record', 'releases/no')).code).toBe(1)
      expect(existsSync(join(folder, 'releases', 'no', 'decision.md'))).toBe(true)
      cpSync(join(folder, 'policy.json'), join(folder, 'file'))
      const { code, error } = await run('gate', ...policy(), '--record', 'file/record')
      expect(error).toMatch(/^--record file\/record cannot be written \(ENOTDIR\)/)
      expect(code).toBe(3)
    })
  })
})
