/**
 * Stands in for npx, npm and other programs where a script of the documentation or of a pipeline is tried: writes down
 * how it was called, and does what the real one would do as far as that is Plumbline's. Started by `tryScript`.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../src/project.ts'
import { type Call, plumblineWords, type Treatment } from './shell.ts'

const { TREATMENTS = '{}', CALLS = '', SEEN = '', ENABLE = '' } = process.env
const words = process.argv.slice(2)
const treatment = (JSON.parse(TREATMENTS) as Readonly<Record<string, Treatment>>)[words.join(' ')] ?? {}
const command = treatment.notRun === undefined && isNew() ? commandFor(words) : undefined
const ended = command && spawnSync(process.execPath, command, { encoding: 'utf8' })
if (ended) {
  process.stdout.write(ended.stdout)
  process.stderr.write(ended.stderr)
}
const call: Call = { words, code: ended ? ended.status : null }
appendFileSync(CALLS, `${JSON.stringify(call)}\n`)
const code = ended?.status ?? 0
process.exitCode = treatment.exits?.includes(code) ? 0 : code

/** @returns words for Node; undefined for what only has to be there */
function commandFor(called: readonly string[]): readonly string[] | undefined {
  const own = plumblineWords(called)
  if (own) return [join(projectRoot, 'bin', 'plumbline.mjs'), ...own, ...(treatment.add ?? [])]
  const [name, file = '', ...rest] = called
  return name === 'node' && file.startsWith('provider/') ? [join(projectRoot, file), ...rest] : undefined
}

/** Whether the same was not run before; pages repeat what each of them begins with. */
function isNew(): boolean {
  if (SEEN === '') return true
  const name = createHash('sha256')
    .update(JSON.stringify([plumblineWords(words) ?? words, ENABLE]))
    .digest('hex')
  try {
    mkdirSync(join(SEEN, name))
    return true
  } catch {
    return false
  }
}
