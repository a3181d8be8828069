import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import picomatch from 'picomatch'
import { projectRoot } from '../src/project.ts'
import { kills } from './kills.ts'
import { memory } from './memory.ts'
import { pageOf, type Tried } from './page.ts'
import { requests } from './requests.ts'
import { targets } from './targets.ts'

// Tries to break what docs/reliability.md promises. Exits with 1 where a promise does not hold.
//   node siege/main.ts [--only SUBJECT-GLOB] [--attempts GLOB] [--runs N] [--write]

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '*' },
    attempts: { type: 'string', default: '*' },
    runs: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
})
const runs = Number(values.runs)
if (!Number.isInteger(runs) || runs < 1) {
  console.error(`--runs is ${values.runs}, and must be a whole number from 1.`)
  process.exit(3)
}
const isWanted = picomatch(values.attempts)
const tried: Tried[] = []
for (const [name, prepare] of Object.entries({ requests, memory, kills, targets })) {
  if (!picomatch.isMatch(name, values.only)) continue
  const subject = await prepare()
  const broken: string[] = []
  let attempts = 0
  for (const [title, attempt] of subject.attempts) {
    for (let run = 0; isWanted(title) && run < runs; run += 1) {
      const { held, measured } = await attempt()
      attempts += 1
      if (!held) broken.push(`${title}: ${measured}`)
      console.log(`${held ? '✓' : '✗'} ${name}: ${title} (${measured})`)
    }
  }
  await subject.close()
  tried.push({ ...subject, tries: attempts, broken })
}
const file = join(projectRoot, 'docs', 'reliability.md')
if (values.write) writeFileSync(file, pageOf(readFileSync(file, 'utf8'), tried))
process.exitCode = tried.some(({ broken }) => broken.length > 0) ? 1 : 0
