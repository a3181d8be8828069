import { styleText } from 'node:util'
import { concerning, readAlterations } from '../run/alterations.ts'
import { lastVerdicts } from '../run/last-verdicts.ts'
import { select } from '../run/selection.ts'
import { loadSuites } from '../run/suites.ts'
import { wrap } from '../run/text.ts'
import { profiles } from '../target/profiles.ts'
import { reportDirectory } from './target.ts'

/** `plumbline explain ID`: one requirement and everything that is known about it. */
export async function explain(id: string): Promise<void> {
  const alterationsLater = readAlterations()
  // Where the id is wrong, nobody waits for it.
  alterationsLater.catch(() => undefined)
  const suites = await loadSuites()
  const found = select(suites.requirements, { only: [id], areas: [] }, 'explain')
  const last = lastVerdicts(
    reportDirectory(),
    found.map((requirement) => requirement.id),
  )
  const alterations = await alterationsLater
  // A pipe has no width: programs want a fact on a line.
  const width = process.stdout.columns ?? Number.POSITIVE_INFINITY
  for (const requirement of found) {
    const checks = suites.checks.filter(({ definition }) => definition.requirement === requirement.id)
    const line = (label: string, text: string) => {
      const [first = '', ...rest] = wrap(`  ${label.padEnd(11)} ${text}`, width, 14)
      console.log([styleText('dim', first.slice(0, 13)) + first.slice(13), ...rest].join('\n'))
    }
    console.log(`\n${styleText('bold', requirement.id)}`)
    line('section', requirement.section)
    line('level', requirement.level)
    line('asks', requirement.statement)
    if (requirement.ambiguity !== undefined) line('open', requirement.ambiguity)
    if (requirement.reason !== undefined) line('no check', requirement.reason)
    for (const { definition, file } of checks) {
      line('check', `${definition.name} (${file})`)
      if (definition.effects?.length) line('effects', definition.effects.join(', '))
    }
    for (const [kind, list] of Object.entries(alterations)) {
      for (const name of concerning(list, requirement.id)) {
        const summary = list.find((alteration: { name: string }) => alteration.name === name)?.summary ?? ''
        line(kind === 'faults' ? 'fault' : 'variant', `${name}: ${summary}`)
      }
    }
    for (const { target, verdict, startedAt, run } of last.get(requirement.id) ?? [])
      line('last run', `${verdict} on ${target}, ${startedAt.slice(0, 16).replace('T', ' ')} UTC (${run})`)
    const { allowed } = profiles.embedded
    const effects = new Set(checks.flatMap(({ definition }) => definition.effects ?? []))
    const enable = [...effects].filter((effect) => !allowed.includes(effect))
    const prefix = enable.length > 0 ? `ENABLE=${enable.join(',')} ` : ''
    line('run it', `${prefix}npx plumbline check --only ${requirement.id}`)
  }
}
