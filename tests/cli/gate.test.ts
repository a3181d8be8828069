import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RequirementId } from '../../src/check/requirement.ts'
import type { ReleaseDecision } from '../../src/release/decision.ts'
import { pages } from '../../src/report/pages/page.ts'
import type { RequirementFixture } from '../results/fixture/runs.ts'
import { schemaErrors } from '../results/fixture/schema.ts'
import { firstRun, ids, oneFails, passes, StoredRuns, secondRun } from './stored-runs.ts'

const runs = new StoredRuns()

describe('plumbline gate', () => {
  const policy = (rest: object = {}) => {
    const file = join(runs.folder, 'policy.json')
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
    writeFileSync(join(runs.folder, 'waivers.json'), JSON.stringify({ waivers: [one] }, null, 2))
    return ['--waivers', 'waivers.json']
  }

  test('exits with 0 for yes, 1 for a violation, 2 for an inconclusive requirement, 3 for a mistake', async () => {
    runs.save(firstRun, passes)
    const yes = await runs.run('gate', ...policy())
    expect(yes.out).toMatch(/^Release: yes, because all 2 checked requirements \(level must\) hold\.\n/)
    expect(yes.code).toBe(0)
    const old = await runs.run('gate', ...policy({ target: 'production' }))
    expect(old.out).toMatch(/^Release: not decided, because the run checked the target uat/)
    expect(old.code).toBe(2)
    runs.save(secondRun, oneFails)
    const no = await runs.run('gate', ...policy())
    expect(no.out).toMatch(/^Release: no, because 1 requirement is violated: EVENT-WINDOW-LIMIT\.\n/)
    expect(no.code).toBe(1)
    expect((await runs.run('gate', 'previous', ...policy())).code).toBe(0)
    expect((await runs.run('gate', ...policy(), ...waivers())).code).toBe(0)
    expect((await runs.run('gate', ...policy(), ...waivers({ expires: '2020-01-01' }))).code).toBe(1)
    for (const { code, error, out } of [
      await runs.run('gate', ...policy({ maximumAge: 2 })),
      await runs.run('gate', '--policy', 'none.json'),
      await runs.run('gate', ...policy({ areas: ['tokens'] })),
      await runs.run('gate', ...policy(), ...waivers({ issue: 'EH-1' })),
      await runs.run('gate', 'none', ...policy()),
    ]) {
      expect(error.trimEnd().split('\n')).toHaveLength(1)
      expect(error).toMatch(/^--policy |^--waivers |^RUN none/)
      expect(out).toBe('')
      expect(code).toBe(3)
    }
  })

  test('does not decide on an incomplete run: exit code 2', async () => {
    runs.save(firstRun, passes, { completed: false, finishedAt: null })
    const { code, out } = await runs.run('gate', ...policy())
    expect(out).toMatch(/^Release: not decided, because the run is incomplete/)
    expect(code).toBe(2)
  })

  test('names what a partial run did not check, the run that the policy needs, and the newest complete one', async () => {
    runs.save(firstRun, passes)
    const [only] = passes as [RequirementFixture]
    runs.save(secondRun, [only], { selection: { only: [only.id], areas: [] } })
    const { code, out } = await runs.run('gate', ...policy())
    expect(code).toBe(2)
    const text = out.replace(/\s+/g, ' ')
    expect(text).toMatch(
      /^Release: not decided, because the run selected only 1 of \d{3} requirements: TOKEN-TYPE-BEARER/,
    )
    expect(text).toMatch(
      /The policy needs a check run of uat that selects .* npx plumbline check --target uat /,
    )
    expect(out).toContain('\n  npx plumbline gate 20261119T000000Z-uat-0001\n')
  })

  test('names the area of a policy for one area, and no other run if the decision is yes', async () => {
    runs.save(firstRun, passes)
    runs.save(secondRun, passes, { selection: { only: [], areas: ['token'] } })
    const { code, out } = await runs.run('gate', ...policy({ areas: ['token'] }))
    expect(code).toBe(0)
    expect(out).toContain('level must, the area token;')
    expect(out).not.toContain('Newest complete')
    const text = (await runs.run('gate', ...policy())).out.replace(/\s+/g, ' ')
    expect(text).toContain(
      ' old. For the areas that this run left out, more variables may have to be set: npx plumbline check --target uat ',
    )
  })

  test('prints a reason that several requirements share once', async () => {
    const stopped = (id: string): RequirementFixture => ({ id, verdict: 'inconclusive', reason: 'no login' })
    runs.save(firstRun, ['A1', 'A2', 'A3', 'A4', 'A5'].map(stopped))
    const { out } = await runs.run('gate', ...policy())
    expect(out.replace(/\s+/g, ' ')).toContain('5 requirements throttled: no login: A1, A2, A3, and 2 more')
    expect(out.match(/no login/g)).toHaveLength(1)
  })

  test('prints requirements that follow from a violation in one sentence', async () => {
    const dependsOn = ['A0' as RequirementId]
    const following = (id: string): RequirementFixture => ({
      id,
      verdict: 'inconclusive',
      cause: 'target',
      reason: 'no token',
      dependsOn,
    })
    runs.save(firstRun, [{ id: 'A0', verdict: 'fail' }, ...['A1', 'A2'].map(following)])
    const { out } = await runs.run('gate', ...policy())
    expect(out.replace(/\s+/g, ' ')).toContain(
      '2 requirements inconclusive, follow from A0: no token: A1, A2',
    )
    const decision = JSON.parse((await runs.run('gate', ...policy(), '--json')).out) as ReleaseDecision
    expect(schemaErrors(decision, 'release-decision')).toEqual([])
    expect(decision.findings).toContainEqual(
      expect.objectContaining({ requirement: 'A1', follows: ['A0'], reason: 'no token' }),
    )
  })

  test('names a violation of an earlier run that this run did not check, also in its summary, and keeps its ENABLE', async () => {
    const enabled = ['token-destruction'] as const
    const off = { id: ids[1], verdict: 'not-applicable', missingEffect: 'token-destruction' } as const
    runs.save(firstRun, oneFails, { enabled })
    const first = await runs.run('gate', ...policy())
    expect(first.out).toContain('\n    ENABLE=token-destruction npx plumbline check --target uat\n')
    const directory = runs.save(secondRun, [{ id: ids[0], verdict: 'pass' }, off])
    const { code, out } = await runs.run('gate', ...policy(), '--json')
    const decision = JSON.parse(out) as ReleaseDecision
    expect(schemaErrors(decision, 'release-decision')).toEqual([])
    expect(decision.because).toMatch(/; EVENT-WINDOW-LIMIT was violated in an earlier run$/)
    expect(decision.findings).toContainEqual(
      expect.objectContaining({
        effect: 'noted',
        requirement: ids[1],
        text: expect.stringContaining(firstRun),
      }),
    )
    expect(code).toBe(0)
    await runs.run('report', secondRun)
    const summary = readFileSync(join(directory, 'summary.md'), 'utf8')
    expect(summary).toMatch(/^Changed since .*: 1 requirement no longer checked \(violated before\)\.$/m)
    // The project's policy requires more checked requirements.
    expect(summary).toMatch(/^\*\*Release: no, because 1 requirement was checked,/m)
  })

  test('prints JSON that matches its schema, and Markdown that begins with the decision', async () => {
    runs.save(secondRun, oneFails)
    const given = [...policy(), ...waivers()]
    const decision = JSON.parse((await runs.run('gate', ...given, '--json')).out) as ReleaseDecision
    expect(schemaErrors(decision, 'release-decision')).toEqual([])
    expect(decision).toMatchObject({ release: true, waived: [{ requirement: ids[1], verdict: 'fail' }] })
    expect((await runs.run('gate', ...given, '--markdown')).out).toMatch(
      /^# Release: yes, because .*1 is waived\.\n/,
    )
  })

  test('accepts a requirement that follows from a waived violation, in JSON that matches its schema', async () => {
    runs.save(firstRun, [
      ...oneFails,
      {
        id: 'EVENT-TO-REQUIRED',
        verdict: 'inconclusive',
        cause: 'target',
        reason: 'nothing to ask',
        dependsOn: ['EVENT-WINDOW-LIMIT'],
      },
    ])
    const { code, out } = await runs.run('gate', ...policy(), ...waivers(), '--json')
    const decision = JSON.parse(out) as ReleaseDecision
    expect(decision.following).toMatchObject([{ requirement: 'EVENT-TO-REQUIRED', follows: [ids[1]] }])
    expect(code).toBe(0)
    expect(schemaErrors(decision, 'release-decision')).toEqual([])
    expect((await runs.run('gate', ...policy(), ...waivers())).out).toMatch(
      /EVENT-TO-REQUIRED +inconclusive, follows from EVENT-WINDOW-LIMIT: nothing to ask/,
    )
  })

  test('reads the policy and the waivers of the project, which are valid', async () => {
    runs.save(firstRun, passes)
    const { out, code } = await runs.start('gate')
    expect(out).toMatch(/^Release: no, because 2 requirements were checked/)
    expect(code).toBe(2)
  })

  describe('--record', () => {
    test('stores every file once, with valid checksums', async () => {
      runs.save(secondRun, oneFails, { software: { node: '24.1.0', browser: '140.0' } })
      const given = [...policy(), ...waivers(), '--record', 'releases/2.4']
      const { code, out } = await runs.run('gate', ...given)
      expect(out).toContain('Record: releases/2.4')
      expect(code).toBe(0)
      const record = join(runs.folder, 'releases', '2.4')
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
      const again = await runs.run('gate', ...given)
      expect(again.error).toMatch(/^--record releases\/2\.4 already exists, and a record is never replaced/)
      expect(again.code).toBe(3)
      expect(check()).toBe(0)
      writeFileSync(join(record, 'policy.json'), '{}')
      expect(check()).toBe(1)
      expect(readdirSync(join(runs.folder, 'releases'))).toEqual(['2.4'])
    })

    test('stores a negative decision too; an unwritable folder leaves nothing', async () => {
      const directory = runs.save(secondRun, oneFails)
      mkdirSync(join(directory, 'report'))
      for (const page of Object.keys(pages)) writeFileSync(join(directory, 'report', page), '<!doctype html>')
      expect((await runs.run('gate', ...policy(), '--record', 'releases/no')).code).toBe(1)
      expect(existsSync(join(runs.folder, 'releases', 'no', 'decision.md'))).toBe(true)
      cpSync(join(runs.folder, 'policy.json'), join(runs.folder, 'file'))
      const { code, error, out } = await runs.run('gate', ...policy(), '--record', 'file/record')
      expect(out).toBe('')
      expect(error).toMatch(/^--record file\/record cannot be written \(ENOTDIR\)/)
      expect(code).toBe(3)
    })
  })
})
