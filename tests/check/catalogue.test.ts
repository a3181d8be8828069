import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { catalogue, defineArea } from '../../src/check/catalogue.ts'
import { fixtures } from '../../src/check/fixtures.ts'
import { requirementVerdict, type Verdict } from '../../src/check/verdict.ts'

describe('the verdict of a requirement', () => {
  test.each<[Verdict[], Verdict]>([
    [[], 'not-applicable'],
    [['not-applicable'], 'not-applicable'],
    [['pass'], 'pass'],
    [['pass', 'not-applicable'], 'pass'],
    [['not-applicable', 'inconclusive', 'pass'], 'inconclusive'],
    [['pass', 'inconclusive', 'fail', 'not-applicable'], 'fail'],
    [['observed'], 'observed'],
    [['observed', 'not-applicable'], 'observed'],
    [['observed', 'inconclusive'], 'inconclusive'],
  ])('of %j is %s', (verdicts, expected) => {
    expect(requirementVerdict(verdicts)).toBe(expected)
  })

  test('is the same in whatever order checks ran, and a fail is never lost', () => {
    const all: Verdict[] = ['pass', 'fail', 'inconclusive', 'not-applicable', 'observed']
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...all)), (verdicts) => {
        expect(requirementVerdict([...verdicts].reverse())).toBe(requirementVerdict(verdicts))
        expect(requirementVerdict(verdicts) === 'fail').toBe(verdicts.includes('fail'))
        expect(requirementVerdict([...verdicts, 'not-applicable'])).toBe(requirementVerdict(verdicts))
      }),
    )
  })
})

/** An area that is in the catalogue until the test ends: other files share it. */
function area(name: string) {
  onTestFinished(() => {
    catalogue.areas.delete(name)
    for (const [id, requirement] of catalogue.requirements)
      if (requirement.area === name) catalogue.requirements.delete(id)
    const others = catalogue.checks.filter((check) => check.area !== name)
    catalogue.checks.splice(0, catalogue.checks.length, ...others)
  })
  return { name, title: 'An area', order: 1, host: 'identity-provider' } as const
}

describe('defining an area', () => {
  const requirement = { section: 'Test', level: 'must', statement: 'Something holds.' } as const

  test('registers its requirements and checks', () => {
    const { check } = defineArea(area('one'), { 'ONE-A': requirement })
    const body = async () => undefined
    check('ONE-A', 'plain', body)
    check('ONE-A', 'with options', { effects: ['login'], needs: ['user'] }, body)
    expect(catalogue.areas.get('one')).toEqual(area('one'))
    expect(catalogue.requirements.get('ONE-A')).toEqual({ id: 'ONE-A', area: 'one', ...requirement })
    expect(catalogue.checks.filter(({ area }) => area === 'one')).toEqual([
      { requirement: 'ONE-A', area: 'one', name: 'plain', fixtures, body },
      {
        requirement: 'ONE-A',
        area: 'one',
        name: 'with options',
        effects: ['login'],
        needs: ['user'],
        fixtures,
        body,
      },
    ])
  })

  test('with an id of another area is refused, with both named', () => {
    defineArea(area('two'), { 'TWO-A': requirement })
    expect(() => defineArea(area('three'), { 'TWO-A': requirement })).toThrow(
      /TWO-A is defined in two and in three/,
    )
    expect(() => defineArea(area('two'), { 'TWO-A': requirement })).not.toThrow()
  })

  test('a check without a body is refused', () => {
    const { check } = defineArea(area('four'), { 'FOUR-A': requirement })
    expect(() => check('FOUR-A', 'empty', {}, undefined as never)).toThrow(/FOUR-A has no body/)
  })

  test('an unknown id does not compile', () => {
    const { check } = defineArea(area('five'), { 'FIVE-A': requirement })
    // @ts-expect-error FIVE-B is not a requirement of this area
    check('FIVE-B', 'wrong', async () => undefined)
    expect(catalogue.requirements.has('FIVE-B')).toBe(false)
  })
})
