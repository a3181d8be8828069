import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import picomatch from 'picomatch'
import { projectRoot } from '../src/project.ts'
import { durable } from './durable.ts'
import { harmless } from './harmless.ts'
import { kills } from './kills.ts'
import { memory } from './memory.ts'
import { parsersOf } from './parsers.ts'
import { quiet } from './quiet.ts'
import { SiegeRecord } from './record.ts'
import { pageOf, type Tried } from './reliability-page.ts'
import { requests } from './requests.ts'
import { stability } from './stability.ts'
import type { Attempt, Subject } from './subject.ts'
import { surroundings } from './surroundings.ts'
import { targets } from './targets.ts'

// Tries to break the promises of docs/reliability.md. Exits with 1 if a promise does not hold.
//   node siege/main.ts [--only SUBJECT-GLOB] [--attempts GLOB] [--runs N] [--resume] [--write]
// --resume skips the attempts that held in earlier sieges (reports/siege.json). --write updates docs/reliability.md.

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '*' },
    attempts: { type: 'string', default: '*' },
    runs: { type: 'string', default: '1' },
    resume: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const runs = Number(values.runs)
if (!Number.isInteger(runs) || runs < 1) {
  console.error(`--runs is ${values.runs}, and must be a whole number from 1.`)
  process.exit(3)
}
if (process.platform !== 'linux') {
  console.error('The siege needs Linux: it reads processes and memory from /proc.')
  process.exit(3)
}
const isWanted = picomatch(values.attempts)
const record = new SiegeRecord()
const tried: Tried[] = []
for (const [name, prepare] of Object.entries({
  requests,
  memory,
  kills,
  parsers: parsersOf,
  targets,
  surroundings,
  quiet,
  durable,
  harmless,
  stability,
})) {
  if (!picomatch.isMatch(name, values.only)) continue
  const subject = await prepare()
  const wanted = [...subject.attempts].filter(([title]) => isWanted(title))
  if (!values.resume) for (const [title] of wanted) record.forget(name, title)
  const earlier = new Map(wanted.map(([title]) => [title, Math.min(runs, record.heldOf(name, title))]))
  const queue = wanted.flatMap((each) =>
    Array.from({ length: runs - (earlier.get(each[0]) ?? 0) }, () => each),
  )
  try {
    const all = subject.attempts.size * runs
    if (wanted.length > 0) tried.push({ ...subject, all, ...(await tryAll(subject, queue, all, earlier)) })
  } finally {
    await subject.close()
  }
}
if (tried.length === 0) {
  console.error(`Nothing to try: no attempt matches --only ${values.only} --attempts ${values.attempts}.`)
  process.exit(3)
}

/**
 * Runs attempts.
 * @param all number of tries after which the table of the subject is complete
 * @param earlier how often each attempt held in earlier sieges; these tries are not repeated
 */
async function tryAll(
  { name, parallel = 1, table }: Subject,
  queue: (readonly [string, () => Promise<Attempt>])[],
  all: number,
  earlier: ReadonlyMap<string, number>,
): Promise<Pick<Tried, 'tries' | 'broken' | 'outcomes'>> {
  const tries = queue.length + [...earlier.values()].reduce((sum, times) => sum + times, 0)
  const broken: string[] = []
  const held = new Map([...earlier].filter(([, times]) => times > 0).map(([title]) => [title, true]))
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [title, attempt] = next
      const outcome = await attempt()
      held.set(title, outcome.held && held.get(title) !== false)
      record.add(name, title, outcome.held)
      if (!outcome.held) broken.push(`${title}: ${outcome.measured}`)
      console.log(`${outcome.held ? '✓' : '✗'} ${name}: ${title} (${outcome.measured})`)
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  return { tries, broken, ...(table && tries === all && { outcomes: table(held) }) }
}

const file = join(projectRoot, 'docs', 'reliability.md')
if (values.write) writeFileSync(file, pageOf(readFileSync(file, 'utf8'), tried))
process.exitCode = tried.some(({ broken }) => broken.length > 0) ? 1 : 0
