import { expect, test } from 'vitest'
import type { RequirementId } from '../../src/check/requirement.ts'
import { followersOfViolations } from '../../src/results/dependencies.ts'
import { upgradeResults } from '../../src/results/saved-run.ts'
import { type RequirementFixture, runOf } from './fixture/runs.ts'

test.for([
  ['the ID token is no JWT; see IDTOKEN-JWT', 'the ID token is no JWT', ['IDTOKEN-JWT']],
  ['it is not there; see AA-B and AA-C', 'it is not there', ['AA-B', 'AA-C']],
  ['it is not there; see AA-B, AA-C-2 and AA-D', 'it is not there', ['AA-B', 'AA-C-2', 'AA-D']],
  ['it took too long', 'it took too long', []],
  ['see IDTOKEN-JWT for more', 'see IDTOKEN-JWT for more', []],
  [null, null, []],
] as const)('a reason of format 1 becomes data: %j', ([before, reason, dependsOn]) => {
  const requirements = [{ checks: [{ reason: before, expectation: null, sent: null }] }]
  expect(upgradeResults({ formatVersion: 1, requirements })).toEqual({
    formatVersion: 2,
    requirements: [{ checks: [{ reason, advice: null, dependsOn, finding: null }] }],
  })
})

test('an expectation of format 1 becomes a finding', () => {
  const expectation = { acceptable: 'status 400', came: 'status 200' }
  const requirements = [{ checks: [{ reason: 'wrong', expectation, sent: 'a wide window' }] }]
  expect(upgradeResults({ formatVersion: 1, requirements })).toMatchObject({
    requirements: [
      { checks: [{ finding: { request: 'a wide window', expected: 'status 400', actual: 'status 200' } }] },
    ],
  })
})

test('a probe of an older version becomes data, and no other check', () => {
  const requirements = [
    {
      checks: [
        { name: 'limiter of token', file: 'load/probes/limiter.ts' },
        { name: 'one of two', file: 'suites/a.ts' },
      ],
    },
  ]
  expect(upgradeResults({ formatVersion: 2, run: { kind: 'probe' }, requirements })).toMatchObject({
    requirements: [{ checks: [{ probe: { name: 'limiter', endpoint: 'token' } }, {}] }],
  })
})

test('names, keys and texts of older versions become fields', () => {
  const key = 'limits.token.hold.latency-p99-ms'
  const probe = {
    checks: [
      {
        name: 'hold of token',
        file: 'load/probes/hold.ts',
        notes: [{ text: 'hold of token: 5/s. Sent: 3 requests.' }, { text: 'hold of token ended early: x' }],
      },
    ],
  }
  expect(
    upgradeResults({
      formatVersion: 2,
      run: { kind: 'probe' },
      requirements: [probe],
      observations: [{ key, value: 7 }],
    }),
  ).toMatchObject({
    requirements: [
      {
        checks: [
          {
            notes: [
              { subject: 'hold of token', text: '5/s. Sent: 3 requests.' },
              { text: 'hold of token ended early: x' },
            ],
          },
        ],
      },
    ],
    observations: [
      { key, value: 7, measured: { endpoint: 'token', source: 'hold', figure: 'latency-p99-ms' } },
    ],
  })
  const basis = {
    'seconds since it was replaced': 61,
    'ms from the first request to the last': 0.4,
    seed: 7,
    events: 2,
  }
  const requirements = [{ checks: [{ basis }, { basis: { events: 3 } }] }]
  expect(upgradeResults({ formatVersion: 2, run: { kind: 'check' }, requirements })).toMatchObject({
    requirements: [
      {
        checks: [
          {
            basis: { events: 2 },
            secondsSince: { 'it was replaced': 61 },
            timingsMs: { 'from the first request to the last': 0.4 },
            seed: 7,
          },
          { basis: { events: 3 } },
        ],
      },
    ],
  })
})

test('checks that follow from a violation directly or indirectly, and no others', () => {
  const inconclusive = (
    id: string,
    dependsOn: readonly string[],
    cause: RequirementFixture['cause'] = 'environment',
  ): RequirementFixture => ({
    id,
    verdict: 'inconclusive',
    cause,
    dependsOn: dependsOn as readonly RequirementId[],
  })
  const { requirements } = runOf([
    inconclusive('AA-SECOND', ['AA-FIRST']),
    inconclusive('AA-FIRST', ['AA-VIOLATED', 'AA-GOOD']),
    { id: 'AA-VIOLATED', verdict: 'fail' },
    { id: 'AA-GOOD', verdict: 'pass' },
    inconclusive('AA-OTHER', ['AA-GOOD']),
    inconclusive('AA-LATE', []),
    inconclusive('AA-AFTER-LATE', ['AA-LATE']),
    inconclusive('AA-CONFIGURED', ['AA-VIOLATED'], 'configuration'),
  ])
  const followers = followersOfViolations(requirements)
  const ids = requirements.filter(({ checks }) => checks.some((check) => followers.has(check)))
  expect(ids.map(({ id }) => id)).toEqual(['AA-SECOND', 'AA-FIRST'])
})

test('a requirement explains others only if all of its inconclusive checks follow from a violation', () => {
  const inconclusive = (cause: 'environment' | 'throttled', ...dependsOn: string[]) => ({
    verdict: 'inconclusive' as const,
    cause,
    dependsOn: dependsOn as RequirementId[],
  })
  const passed = { verdict: 'pass' as const, cause: null, dependsOn: [] }
  const requirements = [
    { id: 'AA-VIOLATED', verdict: 'fail' as const, checks: [] },
    { id: 'AA-OWN', checks: [inconclusive('throttled'), inconclusive('environment', 'AA-VIOLATED')] },
    { id: 'AA-AFTER-OWN', checks: [inconclusive('environment', 'AA-OWN')] },
    { id: 'AA-FOLLOWS', checks: [passed, inconclusive('environment', 'AA-VIOLATED')] },
    { id: 'AA-AFTER-FOLLOWS', checks: [inconclusive('environment', 'AA-FOLLOWS')] },
  ].map((requirement) => ({ verdict: 'inconclusive' as const, ...requirement }))
  const followers = followersOfViolations<(typeof requirements)[number]['checks'][number]>(requirements)
  const numbers = requirements.map(({ checks }) => checks.filter((check) => followers.has(check)).length)
  expect(numbers).toEqual([0, 1, 0, 1, 1])
})
