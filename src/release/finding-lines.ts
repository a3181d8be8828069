import { inconclusiveText } from '../results/inconclusive.ts'
import { idsIn, type NotCheckedGroup } from '../results/not-checked.ts'
import { scopeText } from '../results/scope.ts'
import { counted, someOf } from '../text/format.ts'
import { type FindingWeight, findingWeights, type PolicyFinding, type ReleaseDecision } from './decision.ts'

// The findings of a release decision as lines, for terminal and Markdown.

function headingOf(weight: FindingWeight, isFirst: boolean): string {
  if (weight === 'violated') return 'Violated'
  if (weight === 'noted') return 'Noted; does not block the release'
  return isFirst ? 'Blocking the release' : 'Also blocking the release'
}

/** One line for findings with the same text. */
export interface FindingLine {
  /** The id of a requirement, or `3 requirements`; undefined if the line begins with `text`. */
  readonly name: string | undefined
  readonly text: string
}

/** Findings by weight, each group with its heading. Requirements with the same reason share a line. */
export function findingGroups({ findings }: ReleaseDecision): {
  readonly heading: string
  readonly weight: FindingWeight
  readonly lines: readonly FindingLine[]
}[] {
  return findingWeights
    .map((weight) => ({
      weight,
      lines: linesOf(findings.filter((finding) => finding.effect === weight)),
    }))
    .filter((group) => group.lines.length > 0)
    .map((group, index) => ({ ...group, heading: headingOf(group.weight, index === 0) }))
}

function linesOf(findings: readonly PolicyFinding[]): FindingLine[] {
  const groups = Map.groupBy(findings, ({ subject, text }) => `${subject} ${text}`)
  return [...groups.values()].flatMap((group) => {
    const [{ subject, text, follows, reason = null } = {}] = group
    if (text === undefined) return []
    const ids = group.flatMap(({ requirement }) => requirement ?? [])
    if (subject !== 'requirement' || ids.length === 0) return [{ name: undefined, text }]
    // The verb depends on the number of ids: `follows from …`, `follow from …`.
    return [lineOf(follows ? inconclusiveText(follows, reason, ids.length) : text, ids)]
  })
}

function lineOf(text: string, ids: readonly string[]): FindingLine {
  if (ids.length === 1) return { name: ids[0], text }
  return { name: counted(ids.length, 'requirement'), text: `${text}: ${someOf(ids)}` }
}

/**
 * The requirements in the scope of the policy that were not checked, with a line for each reason. Requirements without
 * a check share a line.
 */
export function notCheckedLines({
  notCheckedInScope,
  policy: { levels, areas = [] },
}: ReleaseDecision): readonly FindingLine[] {
  const isWithoutCheck = ({ kind }: NotCheckedGroup) => kind === 'withoutCheck'
  const others = notCheckedInScope.filter((group) => !isWithoutCheck(group))
  const withoutCheck = idsIn(notCheckedInScope.filter(isWithoutCheck))
  const areaOption = areas.length === 0 ? '' : ` --area ${areas.join()}`
  const command = `npx plumbline list --unchecked --level ${levels.join()}${areaOption}`
  return [
    ...others.map(({ reason, ids }) => lineOf(reason, ids)),
    ...(withoutCheck.length === 0 ? [] : [lineOf(`no check (the reasons: \`${command}\`)`, withoutCheck)]),
  ]
}

/** The heading above `notCheckedLines`, with the levels and areas of the policy. */
export function notCheckedHeading({ policy }: ReleaseDecision): string {
  return `Not checked, although in the scope of the policy (${scopeText(policy)}); this does not block the release`
}
