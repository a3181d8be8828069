import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../src/project.ts'
import { type Figure, figure } from './figure.ts'

/** Aims of the steps of `npm test`, in seconds. */
const aims: Readonly<Record<string, number>> = { unit: 5 * 60, proof: 6 * 60, 'npm test': 12 * 60 }

/** The durations that the last complete `npm test` recorded. The bench does not repeat it, because it may take 12 min. */
export function testFigures(): Figure[] {
  const file = join(projectRoot, 'reports', 'tests.json')
  if (!existsSync(file)) return []
  const seconds = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>
  return Object.entries(aims).flatMap(([name, aim]) =>
    seconds[name] === undefined ? [] : [figure(`last npm test: ${name}`, seconds[name], 's', aim)],
  )
}
