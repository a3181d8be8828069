/**
 * Replaces npx, npm and other programs while a script of the documentation or of a pipeline is tested. Records each
 * call, and executes only commands of Plumbline. Started by `tryScript`.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../src/project.ts'
import { plumbline } from '../cli/command.ts'
import type { Ended } from '../cli/command-server.ts'
import { type Call, plumblineWords, type Treatment } from './shell.ts'

const { TREATMENTS = '{}', CALLS = '', SEEN = '', ENABLE = '', COMMAND_SERVER } = process.env
const words = process.argv.slice(2)
const treatment = (JSON.parse(TREATMENTS) as Readonly<Record<string, Treatment>>)[words.join(' ')] ?? {}
const ended = treatment.notRun === undefined && isNew() ? await run(words) : undefined
if (ended) {
  process.stdout.write(ended.stdout)
  process.stderr.write(ended.stderr)
}
const call: Call = { words, code: ended ? ended.code : null }
appendFileSync(CALLS, `${JSON.stringify(call)}\n`)
const code = ended?.code ?? 0
process.exitCode = treatment.exits?.includes(code) ? 0 : code

/** @returns undefined for programs that are not executed */
async function run(called: readonly string[]): Promise<Ended | undefined> {
  const own = plumblineWords(called)
  if (own) {
    const place = { cwd: process.cwd(), env: process.env }
    return await plumbline([...own, ...(treatment.add ?? [])], place, COMMAND_SERVER)
  }
  const [name, file = '', ...rest] = called
  if (name !== 'node' || !file.startsWith('provider/')) return undefined
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(projectRoot, file), ...rest], {
    encoding: 'utf8',
  })
  return { code: status, stdout, stderr }
}

/** Whether the same command has not run yet; pages repeat their first commands. */
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
