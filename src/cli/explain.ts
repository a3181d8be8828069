import { styleText } from 'node:util'
import { select } from '../check/selection.ts'
import { loadSuites, type SuiteCheck } from '../check/suites.ts'
import { concerning, readAlterations } from '../embedded/alterations.ts'
import { lastVerdicts } from '../results/last-verdicts.ts'
import { reportDirectory } from '../run/chosen-target.ts'
import { effects } from '../target/effects.ts'
import { profiles, type TargetName } from '../target/profiles.ts'
import { wrap } from '../text/format.ts'
import { widthOf } from '../text/terminal.ts'

/** `plumbline explain ID`: one requirement and everything that is known about it. */
export async function explain(id: string): Promise<void> {
  const alterationsLater = readAlterations()
  // If the id is wrong, the promise is not awaited.
  alterationsLater.catch(() => undefined)
  const suites = await loadSuites()
  const found = select(suites.requirements, { only: [id], areas: [] }, 'explain')
  const checked = new Set<string>(suites.checks.map(({ definition }) => definition.requirement))
  const ids = found.map(({ id }) => id).filter((id) => checked.has(id))
  const last = lastVerdicts(reportDirectory(), ids)
  const alterations = await alterationsLater
  const width = widthOf(process.stdout)
  for (const requirement of found) {
    const checks = suites.checks.filter(({ definition }) => definition.requirement === requirement.id)
    const line = (label: string, text: string) => {
      const [first = '', ...rest] = wrap(`  ${label.padEnd(11)} ${text}`, width, 14)
      console.log([styleText('dim', first.slice(0, 13)) + first.slice(13), ...rest].join('\n'))
    }
    console.log(`\n${styleText('bold', requirement.id)}`)
    line('section', requirement.section)
    line('level', requirement.level)
    line('requires', requirement.statement)
    if (requirement.ambiguity !== undefined) line('open', requirement.ambiguity)
    if (requirement.reason !== undefined) line('no check', requirement.reason)
    for (const { definition, file } of checks) {
      line('check', `${definition.name} (${file})`)
      if (definition.effects?.length)
        line('effects', definition.effects.map((effect) => `${effects[effect]} (${effect})`).join('; '))
    }
    for (const [kind, list] of Object.entries(alterations)) {
      for (const name of concerning(list, requirement.id)) {
        const summary = list.find((alteration: { name: string }) => alteration.name === name)?.summary ?? ''
        line(kind === 'faults' ? 'fault' : 'variant', `${name}: ${summary}`)
      }
    }
    const verdicts = last.get(requirement.id) ?? []
    for (const { target, verdict, startedAt, run } of verdicts)
      line('last run', `${verdict} on ${target}, ${startedAt.slice(0, 16).replace('T', ' ')} UTC (${run})`)
    // The command stays on one line, so that it can be copied.
    if (checks.length > 0)
      console.log(
        `  ${styleText('dim', 'command'.padEnd(11))} ${commandFor(requirement.id, checks, verdicts[0]?.target)}`,
      )
  }
}

/** The command that checks one requirement on the target of its last run. */
function commandFor(id: string, checks: readonly SuiteCheck[], target: TargetName | undefined): string {
  const { allowed, mayEnable } = profiles[target ?? 'embedded']
  const needed = new Set(checks.flatMap(({ definition }) => definition.effects ?? []))
  const enable = mayEnable.filter((effect) => needed.has(effect) && !allowed.includes(effect))
  const prefix = enable.length > 0 ? `ENABLE=${enable.join(',')} ` : ''
  return `${prefix}npx plumbline check ${target === undefined ? '' : `--target ${target} `}--only ${id}`
}
