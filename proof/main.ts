import { fork } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import picomatch from 'picomatch'
import { faults, variants } from '../provider/index.ts'
import { loadSuites } from '../src/check/suites.ts'
import { projectRoot, version } from '../src/project.ts'
import { counted } from '../src/text/format.ts'
import { allCases, type Case, type CaseResult } from './cases.ts'
import { deviatingIds, deviationsOf, matrixOf, tableOf, unprovedOf } from './matrix.ts'
import type { Lane, ProveMessage, ResultMessage } from './messages.ts'

// Proves the verdicts. A fault must turn red (make fail) exactly the requirements that it violates, with its declared
// consequences. Variants, and the clean provider without fault and variant, must turn no requirement red.
//   node proof/main.ts [NAME-GLOB…] [--processes N] [--full]
// --processes N: number of processes, 3 by default. Each executes two cases at the same time: one that mostly waits
// (waiting), and one that does not (busy).
// --full: every check and a browser for every case.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { processes: { type: 'string', default: '3' }, full: { type: 'boolean', default: false } },
})
const processes = Number(values.processes)
if (!Number.isInteger(processes) || processes < 1) {
  console.error(`--processes is ${values.processes}, but must be a positive integer.`)
  process.exit(3)
}
const lanes: readonly Lane[] = ['busy', 'waiting']
const isWanted = positionals.length === 0 ? () => true : picomatch(positionals)
const cases = (await allCases(values)).filter(({ name }) => isWanted(name))
if (cases.length === 0) {
  console.error(`No fault or variant is called ${positionals.join(' or ')}.`)
  process.exit(3)
}

const { requirements, checks } = await loadSuites()
const ids = new Set(requirements.map(({ id }) => id))
const misnamed = [
  ...faults.flatMap(({ name, violates, consequences = [] }) =>
    [...violates, ...consequences].map((id) => ({ name, id })),
  ),
  ...variants.flatMap(({ name, concerns, mustBeInconclusive = [], mayBeInconclusive = [], mustPass = [] }) =>
    [...concerns, ...mustBeInconclusive, ...mayBeInconclusive, ...mustPass].map((id) => ({ name, id })),
  ),
].filter(({ id }) => ![...ids].some((one) => picomatch.isMatch(one, id)))
for (const { name, id } of misnamed) console.error(`${name} names ${id}, which is not a requirement.`)
if (misnamed.length > 0) process.exit(1)

const started = performance.now()
const results = await runAll(cases)
if (results.length < cases.length) {
  console.error(`${cases.length - results.length} proof runs have no result.`)
  process.exit(1)
}
const matrix = matrixOf(results)
console.log(tableOf(matrix))

const provable = requirements
  .filter(({ id, level }) => level !== 'silent' && checks.some(({ requirement }) => requirement === id))
  .map(({ id }) => id)
const isUnfiltered = positionals.length === 0
const deviations = [...(isUnfiltered ? unprovedOf(matrix, provable) : []), ...deviationsOf(matrix)]
if (isUnfiltered) {
  await mkdir(join(projectRoot, 'reports'), { recursive: true })
  await writeFile(
    join(projectRoot, 'reports', 'proof.json'),
    `${JSON.stringify({ finishedAt: new Date().toISOString(), version, ...matrix }, null, 2)}\n`,
  )
}
console.log(
  `\n${counted(matrix.faults.length, 'fault')} and ${counted(matrix.variants.length, 'provider')} without a fault in ${((performance.now() - started) / 1000).toFixed(0)} s`,
)
for (const sentence of deviations) console.log(`  ${sentence}`)
process.exitCode = deviations.length === 0 ? 0 : 1

/**
 * Runs the cases in processes. A process executes a busy case and a waiting case at the same time, because two busy
 * cases would delay each other's responses. When no busy case is left, it executes two waiting cases.
 */
async function runAll(cases: readonly Case[]): Promise<CaseResult[]> {
  const done = new Map<string, CaseResult>()
  const queues = {
    busy: mixed(cases.filter(({ mostlyWaits }) => !mostlyWaits)),
    waiting: cases.filter(({ mostlyWaits }) => mostlyWaits),
  }
  const next = (lane: Lane) => queues[lane].shift() ?? (lane === 'busy' ? queues.waiting.shift() : undefined)
  await Promise.all(Array.from({ length: Math.min(processes, cases.length) }, () => runProcess(next, done)))
  return cases.map(({ name }) => done.get(name)).filter((result) => result !== undefined)
}

/** Interleaves the cases of all surfaces, because cases of one surface need the same resources. */
function mixed(cases: readonly Case[]): Case[] {
  const positions = Object.values(Object.groupBy(cases, ({ surface }) => surface)).flatMap((group = []) =>
    group.map((proofCase, index) => ({ proofCase, position: index / group.length })),
  )
  return positions.sort((a, b) => a.position - b.position).map(({ proofCase }) => proofCase)
}

/** Prints the deviations of one run, with the reasons of the checks concerned. */
function printDeviations(result: CaseResult): void {
  const matrix = matrixOf([result])
  for (const sentence of deviationsOf(matrix)) console.log(`  ✗ ${sentence}`)
  for (const id of deviatingIds(matrix))
    if (result.reasons[id]) console.log(`      ${id}: ${result.reasons[id]}`)
}

function runProcess(next: (lane: Lane) => Case | undefined, done: Map<string, CaseResult>): Promise<void> {
  const child = fork(join(import.meta.dirname, 'worker.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let open = lanes.length
  const proveNext = (lane: Lane) => {
    const proofCase = next(lane)
    if (proofCase) child.send({ lane, proofCase } satisfies ProveMessage)
    else if (--open === 0) child.send('end')
  }
  return new Promise((resolve, reject) => {
    child.on('message', (message: ResultMessage | 'ready') => {
      if (message === 'ready') {
        for (const lane of lanes) proveNext(lane)
        return
      }
      const { lane, result } = message
      done.set(result.case.name, result)
      // Printed at once, in case the proof is interrupted.
      printDeviations(result)
      if (done.size % 25 === 0) console.log(`  ${done.size} of ${cases.length} proof runs`)
      proveNext(lane)
    })
    child.once('error', reject)
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`a process of the proof ended with code ${code}`)),
    )
  })
}
