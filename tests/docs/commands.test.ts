import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { select } from '../../src/check/selection.ts'
import { readAlterations } from '../../src/embedded/alterations.ts'
import { projectRoot } from '../../src/project.ts'
import type { RunResults } from '../../src/results/results.ts'
import { targetNames } from '../../src/target/profiles.ts'
import { plumbline, startPlumbline } from '../cli/command.ts'
import { runOf } from '../results/fixture/runs.ts'
import { blocks, documents, firstCells, read, type Script, scripts } from './markdown.ts'
import { commands, type Parsed, parse } from './parser.ts'
import { plumblineWords, type Tried, tryScript } from './shell.ts'
import { before, notTried, placeholders, treatments } from './treatments.ts'

// A page starts many processes; two cores can run two pages at once.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000, maxConcurrency: 2 })

// The changelog describes commands of earlier versions.
const pages = documents.filter((document) => document !== 'CHANGELOG.md')
const withCommands = pages.filter((document) => toTry(document).length > 0)

const folder = mkdtempSync(join(tmpdir(), 'plumbline-docs-'))
const seen = join(folder, 'seen')
mkdirSync(seen)
let catalogue: readonly { readonly id: string; readonly area: string }[]
let provider: { readonly variables: string; stop(): Promise<void> }
beforeAll(async () => {
  provider = await provide()
  catalogue = JSON.parse((await plumbline(['list', '--json'], { cwd: folder })).stdout)
})
afterAll(async () => {
  await provider?.stop()
  rmSync(folder, { recursive: true, force: true })
})

function toTry(document: string): Script[] {
  return scripts(document).filter(({ text }) => !(keyOf(text) in notTried))
}

/** The name of a script in treatments.ts: its first line, without the comment. */
function keyOf(text: string): string {
  return (text.split('\n', 1)[0] ?? '').replace(/ +# .*/, '').trim()
}

/** The embedded provider serves as UAT, as the README instructs. */
async function provide() {
  const file = join(folder, 'provider.env')
  const { child, ended } = startPlumbline(['provider', '--variant', 'webhooks', '--env', file], {
    cwd: folder,
  })
  await vi.waitUntil(() => existsSync(file) && readFileSync(file, 'utf8') !== '', { timeout: 30_000 })
  return {
    variables: readFileSync(file, 'utf8'),
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** A folder like a reader's: configured, and with some runs. */
function checkout(document: string): string {
  const root = join(folder, document.replaceAll('/', '-'))
  cpSync(join(projectRoot, 'reports'), join(root, 'reports'), {
    recursive: true,
    filter: (path) => !/reports\/(?:runs|latest|.*proof.*|.*bench.*)/.test(path),
  })
  // Pages instruct the reader to copy the example and fill it in; the test has done so before.
  for (const name of ['.env.example', '.env.uat']) writeFileSync(join(root, name), provider.variables)
  writeFileSync(join(root, '.env'), gently)
  save(root, '20261120T030000Z-uat-5f0a')
  save(root, '20261120T033000Z-production-77be', { target: 'production' })
  save(root, '20261121T030000Z-uat-61c2')
  const records = blocks('docs/probes-artillery.md').find(({ text }) => text.startsWith('{"worker"'))
  mkdirSync(join(root, 'scenario'), { recursive: true })
  writeFileSync(join(root, 'scenario', 'records-here.jsonl'), records?.text ?? '')
  return root
}

function save(root: string, id: string, run: Partial<RunResults['run']> = {}): void {
  const directory = join(root, 'reports', 'runs', id)
  mkdirSync(directory, { recursive: true })
  const results = runOf([{ id: 'TOKEN-TYPE-BEARER', verdict: 'pass' }], { id, ...run })
  writeFileSync(join(directory, 'results.json'), JSON.stringify(results))
  rmSync(join(root, 'reports', 'latest'), { force: true, recursive: true })
  writeFileSync(join(root, 'reports', 'latest'), `runs/${id}\n`)
}

/** Fast, with only the requests that show that the command works. */
const gently = 'REQUESTS_PER_SECOND=200\nLOAD_MAX_REQUESTS=20\nLOAD_MAX_SECONDS=60\nLOAD_MAX_RATE=20\n'

async function tryPage(document: string): Promise<{ script: Script; tried: Tried }[]> {
  const cwd = checkout(document)
  const results = []
  for (const script of toTry(document)) {
    const key = keyOf(script.text)
    const text = `${before[key] ?? ':'}\n${placeholders[key] ?? script.text}`
    const env = { GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') }
    results.push({ script, tried: await tryScript(text, { cwd, env, treatments, seen }) })
  }
  return results
}

describe('commands of the documentation', () => {
  const called: { readonly place: string; readonly words: readonly string[] }[] = []

  test.concurrent.each(withCommands)('of %s work as documented', async (document) => {
    const failed: string[] = []
    for (const { script, tried } of await tryPage(document)) {
      const place = `${document}:${script.line}`
      called.push(...tried.calls.map(({ words }) => ({ place, words })))
      if (tried.code !== 0) failed.push(`${place} exit code ${tried.code}: ${script.text}\n${tried.output}`)
    }
    expect(failed).toEqual([])
  })

  test('are taken by the real command line, also those that are not run', async () => {
    const mistakes: string[] = []
    for (const { place, words } of called) {
      const mistake = await mistakeIn(words)
      if (mistake !== undefined) mistakes.push(`${place} ${mistake}`)
    }
    expect(mistakes).toEqual([])
  })

  test('have no treatment that nothing needs any more', () => {
    const words = called.map((call) => call.words.join(' '))
    expect(Object.keys(treatments).filter((key) => !words.includes(key))).toEqual([])
    const keys = pages.flatMap(scripts).map(({ text }) => keyOf(text))
    const listed = [notTried, placeholders, before].flatMap((list) => Object.keys(list))
    expect(listed.filter((key) => !keys.includes(key))).toEqual([])
  })

  test('are marked as sh where they are a block', () => {
    const unmarked = pages
      .flatMap(blocks)
      .filter(({ language, text }) => language !== 'sh' && /^(?:npx|npm) /m.test(text))
      .map(({ document, line }) => `${document}:${line}`)
    expect(unmarked).toEqual([])
  })

  test('are in the table of the README, with existing options', async () => {
    const known = await commands()
    const rows = firstCells('README.md').filter((cell) => known.has(cell.split(' ', 1)[0] ?? ''))
    const wrong = rows.flatMap((row) => {
      const options = known.get(row.split(' ', 1)[0] ?? '') ?? []
      return [...row.matchAll(/--[a-z-]+/g)]
        .filter(([option]) => !options.includes(option))
        .map(([option]) => `${row}: ${option}`)
    })
    expect(wrong).toEqual([])
    expect([...known.keys()].filter((name) => !rows.some((row) => row.split(' ', 1)[0] === name))).toEqual([])
  })
})

/** The problem with a command, whether it ran or not. */
async function mistakeIn(words: readonly string[]): Promise<string | undefined> {
  const own = plumblineWords(words)
  try {
    if (own) await mistakesOf(await parse(own))
    else if (words[0] === 'npm') requireScript(words)
    else if (words[0] === 'node' && !existsSync(join(projectRoot, words[1] ?? '')))
      throw new Error(`there is no ${words[1]}`)
  } catch (error) {
    return (error as Error).message
  }
  return undefined
}

/** @throws {Error} if it names something that does not exist */
async function mistakesOf(parsed: Parsed | undefined): Promise<void> {
  if (!parsed) return
  const { command, options } = parsed
  const list = (name: string) => (options[name] ?? []) as readonly string[]
  select(catalogue, { only: list('only'), areas: list('area') })
  if (command === 'explain') select(catalogue, { only: parsed.arguments, areas: [] })
  if (options.target !== undefined && !targetNames.some((name) => name === options.target))
    throw new Error(`there is no target ${options.target}`)
  if (command !== 'provider') return
  const { faults, variants } = await readAlterations()
  const names = [...faults, ...variants].map(({ name }) => name)
  const unknown = [...list('fault'), ...list('variant')].find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Error(`there is no fault or variant ${unknown}`)
}

/** Scripts of package.json are checked by name only, because they take minutes. */
function requireScript([, first = '', ...rest]: readonly string[]): void {
  const { scripts: known } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
  if (first === 'test') requireSteps(rest)
  if (first === 'run' && !(rest[0] !== undefined && rest[0] in known))
    throw new Error(`package.json has no script ${rest[0]}`)
}

function requireSteps(words: readonly string[]): void {
  const known = [...read('scripts/test.mjs').matchAll(/name: '(\w+)'/g)].map(([, name]) => name)
  const unknown = words.find((word) => word !== '--' && !known.includes(word))
  if (unknown !== undefined) throw new Error(`npm test has no step ${unknown}`)
}
