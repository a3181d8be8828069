import { describe, expect, test } from 'vitest'
import { compare } from '../../src/compare/compare.ts'
import { githubAnnotations } from '../../src/report/annotations.ts'
import { overviewOf } from '../../src/report/overview.ts'
import { type RequirementFixture, runOf } from '../results/fixture/runs.ts'

const fails = (count: number): RequirementFixture[] =>
  Array.from({ length: count }, (_, index) => ({ id: `TOKEN-${index}`, verdict: 'fail' }))

describe('annotations for GitHub', () => {
  test('the answer is a notice, a violation an error, a reason of inconclusive requirements a warning', () => {
    const run = runOf([
      { id: 'TOKEN-A', verdict: 'fail', reason: 'the response differs' },
      { id: 'TOKEN-B', verdict: 'inconclusive', cause: 'throttled', reason: '429 until the end' },
      { id: 'TOKEN-C', verdict: 'inconclusive', cause: 'throttled', reason: '429 until the end' },
      { id: 'TOKEN-D', verdict: 'pass' },
      { id: 'TOKEN-E', verdict: 'not-applicable' },
    ])
    expect(githubAnnotations(overviewOf(run)).trimEnd().split('\n')).toEqual([
      '::notice title=Plumbline uat::Release: no, because 1 of 4 checked requirements is violated, and 2 are inconclusive.',
      '::error title=Violated%3A TOKEN-A::requirement: What TOKEN-A requires. (TOKEN-A, section "Token")%0Acheck: a check of TOKEN-A%0Areason: the response differs' +
        "%0Aaction: The provider's operator has to act: the target contradicts the specification." +
        '%0Arepeat: npx plumbline check --target uat --only TOKEN-A',
      '::warning title=Inconclusive%3A 2 requirements::Throttled: 429 until the end: TOKEN-B, TOKEN-C%0A' +
        'You have to act: set a lower REQUESTS_PER_SECOND, or check again later. npx plumbline check --target uat --rerun-failed',
    ])
    expect(githubAnnotations(overviewOf(runOf([{ id: 'TOKEN-D', verdict: 'pass' }])))).toBe(
      '::notice title=Plumbline uat::Release: yes, because the only checked requirement holds.\n',
    )
  })

  test('a violation states since when it is known', () => {
    const [before, now] = [runOf([{ id: 'TOKEN-0', verdict: 'pass' }]), runOf(fails(1))]
    expect(githubAnnotations(overviewOf(now, compare(before, now)))).toContain(
      '(TOKEN-0, section "Token"; newly violated)%0Acheck: ',
    )
  })

  test('drift is a notice', () => {
    const now = runOf([{ id: 'TOKEN-A', verdict: 'pass' }])
    const before = runOf([{ id: 'TOKEN-A', verdict: 'fail' }])
    expect(githubAnnotations(overviewOf(now, compare(before, now)))).toMatch(
      /^::notice title=Drift::since .*: 1 verdict changed/m,
    )
    expect(githubAnnotations(overviewOf(now, compare(now, now)))).not.toContain('Drift')
  })

  test('no text of a target starts a command', () => {
    const reason = '100 %\r\n::add-mask::x\n::error::y'
    const lines = githubAnnotations(overviewOf(runOf([{ id: 'TOKEN-A', verdict: 'fail', reason }])))
    expect(lines.trimEnd().split(/\r|\n/)).toHaveLength(2)
    expect(lines).toContain('100 %25%0D%0A::add-mask::x%0A::error::y')
  })

  test('annotations beyond the limit of GitHub are reported as a number', () => {
    expect(githubAnnotations(overviewOf(runOf(fails(10)))).match(/^::error/gm)).toHaveLength(10)
    const many = githubAnnotations(overviewOf(runOf(fails(14))))
    expect(many.match(/^::error/gm)).toHaveLength(10)
    expect(many).toContain('5 more of this kind')
  })
})
