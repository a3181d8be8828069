import { offByDefault } from '../check/applicability.ts'
import { type CatalogueRequirement, judgedAreasOf } from '../check/catalogue.ts'
import { isRecorded } from '../check/requirement.ts'
import { select } from '../check/selection.ts'
import { loadSuites, type SuiteCheck } from '../check/suites.ts'
import {
  type Alteration,
  type Alterations,
  byRequirement,
  readAlterations,
  variantText,
} from '../embedded/alterations.ts'
import { repeatCommand } from '../results/check-record.ts'
import { judgedRequests } from '../results/judged-requests.ts'
import { lastVerdicts } from '../results/last-verdicts.ts'
import { sectionName } from '../results/text.ts'
import { reportDirectory } from '../run/report-directory.ts'
import { SetupError } from '../target/problem.ts'
import { effects, type TargetName } from '../target/profiles.ts'
import { listText, minuteOf, someOf } from '../text/format.ts'
import { nearName } from '../text/near-name.ts'
import { terminalOf } from '../text/terminal.ts'
import { effectsOffOn, neededEffects, whereOffText } from './needed-effects.ts'

const labelWidth = 'interpretation'.length

/** `plumbline explain ID`: prints requirements with their last verdicts, checks, faults and variants. */
export async function explain(id: string): Promise<void> {
  const suites = await loadSuites()
  const selected = await requirementsOf(id, suites.requirements)
  const checked = new Set<string>(suites.checks.map(({ requirement }) => requirement))
  const ids = selected.map(({ id }) => id).filter((id) => checked.has(id))
  const judged = judgedRequests(suites)
  const last = lastVerdicts(reportDirectory(), ids, judged)
  const alterations = await readAlterations()
  const [faultsOf, variantsOf] = [byRequirement(alterations.faults), byRequirement(alterations.variants)]
  const { labelled, paint } = terminalOf(process.stdout)
  for (const requirement of selected) {
    const checks = suites.checks.filter((check) => check.requirement === requirement.id)
    const named = (label: string) => `  ${label.padEnd(labelWidth)} `
    const line = (label: string, text: string) =>
      console.log(labelled(named(label), text, named(label).length, 'dim').join('\n'))
    console.log(`\n${paint('bold', requirement.id)}`)
    line('section', sectionName(requirement.section))
    line('level', requirement.level)
    line('statement', requirement.statement)
    const verdicts = last.get(requirement.id) ?? []
    for (const { target, verdict, startedAt, run } of verdicts)
      line('last verdict', `${verdict} on ${target}, ${minuteOf(startedAt)} (${run})`)
    const areas = judged.get(requirement.id)?.areas
    // A command stays on one line, so that it can be copied.
    for (const [label, command] of repeatCommands(requirement.id, checks, verdicts[0]?.target))
      console.log(paint('dim', named(label)) + command)
    if (areas)
      line(isRecorded(requirement.level) ? 'records' : 'judges', judgesText(requirement.id, checks, areas))
    if (requirement.measuredBy !== undefined)
      console.log(`${paint('dim', named('measure'))}npx plumbline ${requirement.measuredBy}`)
    if (requirement.interpretation !== undefined) line('interpretation', requirement.interpretation)
    if (requirement.reason !== undefined) line('no check', requirement.reason)
    for (const check of checks) {
      line('check', `${check.name} (${check.file})`)
      if (check.effects) line('effects', effectsText(check))
    }
    for (const { name, summary } of faultsOf(requirement.id)) line('fault', `${name}: ${summary}`)
    for (const variant of variantsOf(requirement.id))
      line('variant', `${variant.name}: ${variantText(variant, requirement.id)}`)
  }
}

function effectsText(check: SuiteCheck): string {
  const own = (check.effects ?? []).map((effect) => `${effects[effect]} (${effect})`)
  return [...own, whereOffText(check)].filter((text) => text !== '').join('; ')
}

/**
 * The requirements that match an id or glob.
 * @throws {SetupError} with the nearest ids; for a fault or variant, with its requirements
 */
async function requirementsOf(
  id: string,
  all: readonly CatalogueRequirement[],
): Promise<CatalogueRequirement[]> {
  try {
    return select(all, { only: [id], areas: [] }, 'explain')
  } catch (error) {
    const alterations = await readAlterations()
    throw (await alterationProblem(id, alterations)) ?? nearAlteration(id, all, alterations) ?? error
  }
}

/** The problem if a word is the name of a fault or variant instead of an id. */
async function alterationProblem(
  word: string,
  { faults, variants }: Alterations,
): Promise<SetupError | undefined> {
  const isNamed = ({ name }: Alteration) => name === word.toLowerCase()
  const fault = faults.find(isNamed)
  const alteration = fault ?? variants.find(isNamed)
  if (alteration === undefined) return undefined
  const { name, summary, requirements, consequences = [] } = alteration
  const list = (ids: readonly string[]) => someOf(ids, '', 8)
  const concerned = fault ? `It violates ${list(requirements)}` : `It concerns ${list(requirements)}`
  const also = consequences.length === 0 ? '' : ` and, as a consequence, ${list(consequences)}`
  const [first] = requirements
  const { enable } = neededEffects(fault ? requirements : [], (await loadSuites()).checks, 'uat')
  const receiver = enable.includes('planned') ? ' and a public WEBHOOK_RECEIVER_URL' : ''
  const off =
    enable.length === 0 ? '' : `; ${offByDefault('uat')}: the checks need ENABLE=${enable.join()}${receiver}`
  return new SetupError({
    name: 'explain',
    what: `needs a requirement; ${JSON.stringify(name)} is a ${fault ? 'fault' : 'variant'} of the embedded provider: ${summary}${requirements.length === 0 ? '' : ` ${concerned}${also}${off}`}`,
    ...(first !== undefined && {
      advice: `\`npx plumbline explain ${first}\` explains ${requirements.length === 1 ? 'it' : 'the first'}`,
    }),
  })
}

/** The problem if a word resembles the name of a fault or variant, but no id. */
function nearAlteration(
  word: string,
  requirements: readonly CatalogueRequirement[],
  { faults, variants }: Alterations,
): SetupError | undefined {
  const ids = requirements.map(({ id }) => id)
  const near = nearName(
    word.toLowerCase(),
    [...faults, ...variants].map(({ name }) => name),
  )
  if (near === undefined || nearName(word.toUpperCase(), ids) !== undefined) return undefined
  const what = `${JSON.stringify(word)} matches no requirement; the nearest fault or variant is ${near}`
  return new SetupError({ name: 'explain', what })
}

/** Which requests of other checks a requirement judges. The repeat command therefore runs whole areas. */
function judgesText(id: string, checks: readonly SuiteCheck[], areas: readonly string[]): string {
  const judging = checks.filter(({ judgesRun }) => judgesRun)
  if (judging.some(({ judgesThrottling }) => judgesThrottling))
    return `throttled responses of the whole run; fewer with --area ${areas.join(',')}`
  const requests = `requests of the whole ${areas.length === 1 ? 'area' : 'areas'} ${listText(areas)}`
  return judging.length === checks.length
    ? `${requests}; fewer with --only ${id}`
    : `${requests}, in ${judging.length} of its ${checks.length} checks; fewer with --only ${id}`
}

/**
 * The commands that repeat the checks of a requirement, each with a label. The first command runs the checks that need
 * neither ENABLE nor checks of other requirements, if there are any. Findings in reports show the same commands.
 * @param target the target of the last verdict
 */
function repeatCommands(
  id: string,
  checks: readonly SuiteCheck[],
  target: TargetName | undefined,
): readonly (readonly [label: string, command: string])[] {
  const enableOf = (check: SuiteCheck) => effectsOffOn(check, target ?? 'embedded').enable
  const isOff = (check: SuiteCheck) => enableOf(check).length > 0
  const groups = [false, true].flatMap((judgesRun) => {
    const alike = checks.filter((check) => (check.judgesRun ?? false) === judgesRun)
    return [alike.filter((check) => !isOff(check)), alike.filter(isOff)]
  })
  const filled = groups.filter((group) => group.length > 0)
  return filled.map((group, index) => {
    const [first] = group
    const judgedAreas = first && judgedAreasOf(first)
    const effectsBeyondDefault = [...new Set(group.flatMap(enableOf))]
    const command = repeatCommand(id, target, { effectsBeyondDefault, ...(judgedAreas && { judgedAreas }) })
    return [
      index === 0 ? 'repeat' : index === filled.length - 1 ? 'repeat fully' : 'repeat more',
      command,
    ] as const
  })
}
