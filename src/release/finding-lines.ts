import type { NotCheckedGroup } from '../results/not-checked.ts'
import { counted, someOf } from '../text/format.ts'
import { type FindingEffect, findingEffects, type PolicyFinding, type ReleaseDecision } from './decision.ts'

// Lines on requirements that terminal and Markdown share.

function headingOf(effect: FindingEffect, isFirst: boolean): string {
  if (effect === 'violated') return 'Violated'
  if (effect === 'noted') return 'Noted, without effect'
  return isFirst ? 'Blocking the release' : 'Also blocking the release'
}

/** One line for findings with the same text. */
export interface FindingLine {
  /** The requirement, or the number of requirements; undefined if the finding concerns none. */
  readonly name: string | undefined
  readonly text: string
}

/** Findings by effect, each group with its heading; requirements with the same reason share a line. */
export function findingGroups({ findings }: ReleaseDecision): {
  readonly title: string
  readonly effect: FindingEffect
  readonly lines: readonly FindingLine[]
}[] {
  return findingEffects
    .map((effect) => ({
      effect,
      lines: linesOf(findings.filter((finding) => finding.effect === effect)),
    }))
    .filter((group) => group.lines.length > 0)
    .map((group, index) => ({ ...group, title: headingOf(group.effect, index === 0) }))
}

function linesOf(findings: readonly PolicyFinding[]): FindingLine[] {
  const groups = Map.groupBy(findings, ({ subject, text }) => `${subject} ${text}`)
  return [...groups.values()].flatMap((group) => {
    const [{ subject, text } = {}] = group
    if (text === undefined) return []
    const ids = group.flatMap(({ requirement }) => requirement ?? [])
    if (subject !== 'requirement' || ids.length === 0) return [{ name: undefined, text }]
    return [lineOf(ids.length === 1 ? text : text.replace(/^follows /, 'follow '), ids)]
  })
}

/** Requirements with a text that they share. */
function lineOf(text: string, ids: readonly string[]): FindingLine {
  if (ids.length === 1) return { name: ids[0], text }
  return { name: counted(ids.length, 'requirement'), text: `${text}: ${someOf(ids)}` }
}

/** The requirements in the scope of the policy that were not checked, by reason; those without a check together. */
export function notCheckedLines({
  notCheckedInScope = [],
  policy: { levels, areas = [] },
}: ReleaseDecision): readonly FindingLine[] {
  const isWithoutCheck = ({ kind }: NotCheckedGroup) => kind === 'withoutCheck'
  const others = notCheckedInScope.filter((group) => !isWithoutCheck(group))
  const without = notCheckedInScope.filter(isWithoutCheck).flatMap(({ ids }) => ids)
  const ofAreas = areas.length === 0 ? '' : ` --area ${areas.join()}`
  const reason = `no check; \`npx plumbline list --unchecked --level ${levels.join()}${ofAreas}\` lists the reasons`
  const groups = without.length === 0 ? others : [...others, { reason, ids: without }]
  return groups.map(({ reason, ids }) => lineOf(reason, ids))
}

/** The heading of these, with the levels of the policy. */
export function notCheckedTitle({ policy: { levels } }: ReleaseDecision): string {
  return `Not checked, but in the scope of the policy (level ${levels.join(', ')})`
}
