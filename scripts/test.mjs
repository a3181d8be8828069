// `npm test` runs Plumbline's own tests: all steps, or the steps on the command line, as in `npm test -- unit`.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * @typedef {{ name: string, what: string, command: readonly [string, ...string[]] }} Step
 * @typedef {{ step: Step, passed: boolean, seconds: number }} Outcome
 */

const exitFailed = 1
const exitUsage = 3
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')

/** @type {readonly Step[]} run in parallel; the output of each step appears when the step has ended */
const analyses = [
  { name: 'types', what: 'TypeScript, strict', command: ['tsc', '--noEmit', '--pretty', 'false'] },
  {
    name: 'lint',
    what: 'Biome: lint, format, import rules',
    command: ['biome', 'check', '--diagnostic-level=warn', '--error-on-warnings', '--max-diagnostics=100'],
  },
]

/** @type {readonly Step[]} run one after another; their output appears while they run */
const testSteps = [
  {
    name: 'unit',
    what: 'Vitest: unit, property, provider and browser tests',
    command: ['vitest', 'run', '--project', 'tests'],
  },
  { name: 'proof', what: 'faults and variants', command: ['node', 'proof/main.ts'] },
]

/** @type {readonly NodeJS.Signals[]} that end the current step */
const signals = ['SIGINT', 'SIGTERM']

const startedAt = performance.now()
/** Whether a signal has ended the current step. Then no further step starts. */
let interrupted = false

process.exitCode = await main(process.argv.slice(2))

/** @param {readonly string[]} wanted names of steps; none means all @returns {Promise<number>} exit code */
async function main(wanted) {
  const names = [...analyses, ...testSteps].map((step) => step.name)
  const unknown = wanted.find((name) => !names.includes(name))
  if (unknown !== undefined) {
    console.error(
      `There is no step "${unknown}": choose one or more of ${names.join(', ')}, for example npm test -- unit.`,
    )
    return exitUsage
  }
  /** @param {Step} step */
  const isWanted = (step) => wanted.length === 0 || wanted.includes(step.name)
  const outcomes = await analyse(analyses.filter(isWanted))
  for (const step of testSteps.filter(isWanted)) {
    if (interrupted) break
    outcomes.push(await test(step))
  }
  summarise(outcomes)
  if (wanted.length === 0 && !interrupted) record(outcomes)
  return outcomes.every((outcome) => outcome.passed) && !interrupted ? 0 : exitFailed
}

/** @param {readonly Step[]} steps @returns {Promise<Outcome[]>} */
async function analyse(steps) {
  const running = steps.map((step) => execute(step, 'collected'))
  /** @type {Outcome[]} */
  const outcomes = []
  for (const promise of running) {
    const { output, ...outcome } = await promise
    heading(outcome.step)
    process.stdout.write(output)
    ending(outcome)
    outcomes.push(outcome)
  }
  return outcomes
}

/** @param {Step} step @returns {Promise<Outcome>} */
async function test(step) {
  heading(step)
  const { output: _, ...outcome } = await execute(step, 'shown')
  ending(outcome)
  return outcome
}

/**
 * @param {Step} step
 * @param {'shown' | 'collected'} mode
 * @returns {Promise<Outcome & { output: string }>}
 */
function execute(step, mode) {
  const started = performance.now()
  const [command, ...args] = step.command
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: environment(),
      stdio: mode === 'shown' ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text
      })
    }
    const stop = () => {
      interrupted = true
      child.kill('SIGTERM')
    }
    for (const signal of signals) process.once(signal, stop)
    /** @param {boolean} passed */
    const finish = (passed) => {
      for (const signal of signals) process.removeListener(signal, stop)
      resolve({ step, passed, output, seconds: (performance.now() - started) / 1000 })
    }
    child.once('error', (error) => {
      console.error(`${command} did not start: ${error.message}`)
      finish(false)
    })
    child.once('close', (code) => finish(code === 0))
  })
}

/** The environment with the tools and the Node of this checkout, even if started without npm. */
function environment() {
  const own = path.join(root, 'node_modules', '.bin')
  const env = { ...process.env, PATH: `${own}${path.delimiter}${process.env.PATH ?? ''}` }
  // With CI=true, Vitest prints colours even without a terminal.
  return process.stdout.isTTY ? env : { ...env, NO_COLOR: '1' }
}

/** @param {Step} step */
function heading({ name, what }) {
  console.log(`\n== ${name}: ${what}`)
}

/** @param {Outcome} outcome */
function ending({ step, passed, seconds }) {
  console.log(`-- ${step.name} ${passed ? 'passed' : 'failed'} in ${seconds.toFixed(1)} s`)
}

/** @param {readonly Outcome[]} outcomes */
function summarise(outcomes) {
  console.log('\n== summary')
  for (const { step, passed, seconds } of outcomes) {
    console.log(`${step.name.padEnd(6)} ${passed ? 'passed' : 'FAILED'} ${seconds.toFixed(1).padStart(7)} s`)
  }
  const passed = outcomes.filter((outcome) => outcome.passed).length
  console.log(`\n${passed} passed, ${outcomes.length - passed} failed`)
}

/** Records the duration of a whole `npm test` for the bench. @param {readonly Outcome[]} outcomes */
function record(outcomes) {
  const seconds = Object.fromEntries(outcomes.map(({ step, seconds }) => [step.name, Math.round(seconds)]))
  const total = Math.round((performance.now() - startedAt) / 1000)
  mkdirSync(path.join(root, 'reports'), { recursive: true })
  writeFileSync(
    path.join(root, 'reports', 'tests.json'),
    `${JSON.stringify({ ...seconds, 'npm test': total }, null, 2)}\n`,
  )
}
