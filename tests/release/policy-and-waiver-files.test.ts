import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readPolicy } from '../../src/release/policy.ts'
import { readWaivers } from '../../src/release/waivers.ts'
import { strict, waiver } from './given.ts'

const folder = mkdtempSync(join(tmpdir(), 'plumbline-policy-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function file(text: string): string {
  const path = join(folder, 'file.json')
  writeFileSync(path, text)
  return path
}

/** The text of a policy with another member. */
const policy = (member: string) =>
  `{\n  "target": "uat",\n  "levels": ["must"],\n  "inconclusive": "block",\n  ${member}\n}\n`

describe('reading a policy or waiver file', () => {
  const json = (value: unknown) => {
    const text = JSON.stringify(value)
    return { path: file(text), text }
  }
  const valid = { target: 'uat', maximumAgeHours: 24, levels: ['must'], inconclusive: 'block' }
  const areas = ['token', 'events']

  test('returns a policy with its text', () => {
    const given = {
      ...valid,
      areas: ['token', 'events'],
      kind: 'probe',
      minimumCoverage: { overall: 0.9, areas: { events: 0.5 } },
      minimumApplicable: { areas: { token: 3 } },
      waiverFindings: 'report',
    }
    const { path, text } = json(given)
    expect(readPolicy(path, areas)).toEqual({ policy: given, text })
  })

  test.each([
    [
      { areas: ['token'], minimumCoverage: { areas: { events: 1 } } },
      /minimumCoverage\.areas\.events sets a minimum for events, which the policy does not cover: add it to areas /,
    ],
    [
      { areas: ['token', 'webhook'] },
      /areas\[1\] has the unknown area "webhook"; the areas are token, events /,
    ],
    [
      { minimumApplicable: { areas: { tokn: 1 } } },
      /minimumApplicable\.areas\.tokn has the unknown area "tokn"; the nearest is token /,
    ],
  ])('rejects an unknown area: %j', (changes, sentence) => {
    const { path } = json({ ...valid, ...changes })
    expect(() => readPolicy(path, areas)).toThrow(sentence)
  })

  test('returns waivers with their text, one for each requirement and target', () => {
    const waivers = [waiver('BB'), waiver('BB', { target: 'production' }), waiver('CC')]
    const { path, text } = json({ waivers })
    expect(readWaivers(path)).toEqual({ waivers, text })
  })

  test('names each waiver that repeats another one', () => {
    const { path } = json({ waivers: [waiver('BB'), waiver('CC'), waiver('BB'), waiver('CC'), waiver('BB')] })
    const sentences = (error: unknown) => (error as Error).message.split('\n')
    try {
      readWaivers(path)
      expect.unreachable()
    } catch (error) {
      expect(sentences(error)).toEqual([
        expect.stringMatching(
          /waivers\[2\]\.requirement repeats waivers\[0\]: BB may have only one waiver on uat/,
        ),
        expect.stringMatching(
          /waivers\[3\]\.requirement repeats waivers\[1\]: CC may have only one waiver on uat/,
        ),
        expect.stringMatching(
          /waivers\[4\]\.requirement repeats waivers\[0\]: BB may have only one waiver on uat/,
        ),
      ])
    }
  })

  test.each([
    ['policy', () => readPolicy(file('{'), areas)],
    ['waivers', () => readWaivers(file('{'))],
  ])('names the option --%s in an error, and the page that explains it', (option, read) => {
    expect(read).toThrow(new RegExp(`^--${option} .*\\(see docs/gating\\.md\\)$`))
  })

  test('rejects a duplicate member', () => {
    const path = file('{ "waivers": [], "waivers": [] }')
    expect(() => readWaivers(path)).toThrow(/waivers occurs twice/)
  })

  test('adds defaults for the members that a policy omits', () => {
    expect(readPolicy(file(policy('"maximumAgeHours": 24')), []).policy).toEqual(strict)
  })
})

describe('the error of a policy or waiver file', () => {
  const messageOf = (read: () => unknown) => {
    try {
      read()
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }
  const list = (member: string, value: string) => {
    const { [member]: _, ...rest } = { ...waiver('BB') } as Record<string, string>
    const lines = Object.entries(rest).map(([name, text]) => `      "${name}": "${text}",`)
    return `{\n  "waivers": [\n    {\n${lines.join('\n')}\n      "${member}": ${value}\n    }\n  ]\n}\n`
  }

  test.for([
    [policy('"maximumAgeHours": "24"'), /^--policy .*file\.json:5 maximumAgeHours must be a number/],
    [policy('"maximumAgeHours": 0'), /file\.json:5 maximumAgeHours must be > 0, not 0/],
    [policy('"maxAge": 24'), /file\.json:1 lacks the member maximumAgeHours|:5 maxAge is unknown here/],
    [
      policy('"maximumAgeHours": 1, "areas": ["tokens"]'),
      /:5 areas\[0\] has the unknown area "tokens"; the nearest is token/,
    ],
    [
      policy('"maximumAgeHours": 1,\n  "minimumCoverage": { "areas": { "evnts": 1 } }'),
      /:6 minimumCoverage\.areas\.evnts has the unknown area "evnts"; the nearest is events/,
    ],
    [
      policy('"maximumAgeHours": 1,\n  "minimumCoverage": { "overall": 98 }'),
      /:6 minimumCoverage\.overall must be <= 1, not 98, for example 0\.95/,
    ],
    [policy('"maximumAgeHours": 1, "target": "production"'), /:\d target occurs twice/],
    [
      policy('"maximumAgeHours": 24,'),
      /:6 is not JSON: a quoted name is missing, or there is an extra comma/,
    ],
    [
      policy('"maximumAgeHours": 24').replace('"uat"', 'uat'),
      /:2 is not JSON: a word that is neither quoted/,
    ],
    ['[]', /file\.json:1 must be an object/],
    ['', /file\.json:1 is not JSON: a value is missing/],
  ] as const)('names the line of the error: policy %j', ([text, sentence]) => {
    const read = () => readPolicy(file(text), ['token', 'events'])
    expect(read).toThrow(sentence)
    expect(read).toThrow(/\(see docs\/gating\.md\)$/)
  })

  test.for([
    [
      list('expires', '"31.12.2026"'),
      /^--waivers .*file\.json:9 waivers\[0\]\.expires must be a date, .*, not "31\.12\.2026", for example "2026-12-31"/,
    ],
    [list('expires', '"2026-02-30"'), /:9 waivers\[0\]\.expires must be a date/],
    [
      list('requirement', '"EVENT-*"'),
      /:9 waivers\[0\]\.requirement must be the id of one requirement, not "EVENT-\*"/,
    ],
    [list('target', '"UAT"'), /:9 waivers\[0\]\.target must be one of embedded, uat, production, not "UAT"/],
    [list('issue', '"IDP-123"'), /:9 waivers\[0\]\.issue must be the address of the issue/],
    [
      list('ticket', '"x"'),
      /:10 waivers\[0\]\.ticket is unknown here; the permitted members are requirement, target/,
    ],
    [list('reason', '"later"'), /:9 waivers\[0\]\.reason must have at least 10 characters, not "later"/],
    [
      list('reason', '"          "'),
      /:9 waivers\[0\]\.reason must be the reason why the violation is accepted, not " /,
    ],
    [list('owner', '" "'), /:9 waivers\[0\]\.owner must be the name of the owner, .*, not " "/],
    ['{ "waivers": [{}] }', /:1 waivers\[0\] lacks the member requirement/],
    [
      JSON.stringify({ waivers: [waiver('BB'), waiver('BB', { expires: '2027-01-01' })] }),
      /waivers\[1\]\.requirement repeats waivers\[0\]: BB may have only one waiver on uat/,
    ],
  ] as const)('names the line of the error: waivers %j', ([text, sentence]) => {
    expect(() => readWaivers(file(text))).toThrow(sentence)
  })

  test('has one sentence for each mistake', () => {
    const waivers = [waiver('BB', { reason: 'later', issue: 'EH-1' }), waiver('CC', { owner: '' })]
    const read = () => readWaivers(file(JSON.stringify({ waivers }, null, 2)))
    const sentences = messageOf(read).split('\n')
    expect(sentences).toEqual([
      expect.stringMatching(/:6 waivers\[0\]\.reason must have at least 10 characters, not "later"/),
      expect.stringMatching(/:8 waivers\[0\]\.issue must be the address of the issue/),
      expect.stringMatching(/:15 waivers\[1\]\.owner must be the name of the owner/),
    ])
    const policyFile = file('{\n"target": "UAT",\n"levels": ["must"]\n}')
    const message = messageOf(() => readPolicy(policyFile, []))
    expect(message).toMatch(/lacks the member maximumAgeHours/)
    expect(message).toMatch(/lacks the member inconclusive/)
    expect(message).toMatch(/:2 target must be one of/)
  })

  test('reports a file that does not exist', () => {
    expect(messageOf(() => readPolicy('none.json', []))).toBe(
      `--policy none.json does not exist: pass an existing policy, or omit --policy to use reports/release-policy.json`,
    )
    expect(messageOf(() => readWaivers('none.json'))).toBe(
      `--waivers none.json does not exist: pass an existing list, or omit --waivers to use reports/waivers.json`,
    )
  })
})
