import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { startProvider } from '../provider/index.ts'
import { launchBrowser } from '../src/browser/index.ts'
import { turns } from '../src/check/check-options.ts'
import type { CheckResult } from '../src/check/result.ts'
import { inRunOrder, loadSuites, type SuiteCheck } from '../src/check/suites.ts'
import type { Verdict } from '../src/check/verdict.ts'
import { type Random, randomFrom, shuffled } from '../src/random.ts'
import { targetFrom } from '../src/target/config.ts'
import { executeChecks, verdictsOf } from './execute-checks.ts'
import { stressedProviders } from './stressed-providers.ts'

// Executes all suites repeatedly in random order, on a busy machine and against a provider with delayed responses.
// These disturbances are lawful: a verdict that differs from that of an undisturbed run is a defect of Plumbline.
//   node proof/stress.ts [--runs N] [--seed N] [--busy N] [--delay MS] [--from N] [--provider clean|VARIANT]

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    busy: { type: 'string', default: '2' },
    delay: { type: 'string', default: '150' },
    from: { type: 'string', default: '1' },
    // Provider of all runs; by default, each run has a random one.
    provider: { type: 'string' },
  },
})
for (const option of ['runs', 'from'] as const) {
  if (/^[1-9]\d*$/.test(values[option])) continue
  console.error(`--${option} is ${values[option]}, but must be a positive integer.`)
  process.exit(3)
}
if (values.provider !== undefined && !stressedProviders.some((name) => name === values.provider)) {
  console.error(`--provider is ${values.provider}, but must be one of ${stressedProviders.join(', ')}.`)
  process.exit(3)
}

/** One in this many responses is a hiccup. */
const hiccupOdds = 40
/** The delay of a hiccup is this many times longer. */
const hiccupFactor = 15

const { checks } = await loadSuites()
const browser = await launchBrowser({ hosts: ['127.0.0.1:*'], headed: false })
const expected = verdictsOf((await run('clean', checks)).results)
console.log(`${expected.size} requirements, seed ${values.seed}, ${values.busy} busy workers`)
const busy = Array.from({ length: Number(values.busy) }, () => new Worker('for (;;);', { eval: true }))

let flipped = 0
const first = Number(values.from)
for (let number = first; number < first + Number(values.runs); number += 1) {
  flipped += await disturbed(number)
}
await Promise.all(busy.map((worker) => worker.terminate()))
await browser.close()
console.log(flipped === 0 ? 'No verdict differs.' : `${flipped} verdicts differ.`)
process.exitCode = flipped === 0 ? 0 : 1

/** Runs the checks with the disturbances of a run number. @returns the number of verdicts that differ */
async function disturbed(number: number): Promise<number> {
  const random = randomFrom(Number(values.seed), `run ${number}`)
  const [drawn = 'clean'] = shuffled(stressedProviders, random)
  const name = values.provider ?? drawn
  const files = shuffled([...new Set(checks.map(({ file }) => file))], random)
  const rank = (check: SuiteCheck) => files.indexOf(check.file) + files.length * stageOf(check)
  const order = inRunOrder(checks, rank)
  const began = performance.now()
  const { results, requests, logins } = await run(name, order, delays(random))
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const differences = differencesOf(results)
  console.log(
    `run ${number}: ${name}, ${seconds} s, ${requests} requests, ${logins} logins${differences.length === 0 ? '' : ':'}`,
  )
  for (const difference of differences) console.log(`  ${difference}`)
  return differences.length
}

/**
 * The stage of a check. The order is random within each stage. Stage 0 needs a user without consent to the second
 * application. Stage 1 is the authorization area, which has the first login. Claim changes are in stage 3, so that
 * subscriptions created before receive their events.
 */
function stageOf({ area, turn, effects }: SuiteCheck): number {
  if (turn === turns.beforeSecondConsent) return 0
  if (area === 'authorization') return 1
  return effects?.includes('claim-change') && area !== 'webhook-delivery' ? 3 : 2
}

async function run(
  provider: string,
  order: readonly SuiteCheck[],
  delay?: () => number,
): Promise<Awaited<ReturnType<typeof executeChecks>>> {
  const variants = ['webhooks', ...(provider === 'clean' ? [] : [provider])]
  const started = await startProvider({ variants, ...(delay && { delay }) })
  try {
    const variables = { SEED: '1', ...started.variables, ENABLE: 'planned' }
    return await executeChecks(order, targetFrom('embedded', variables), browser)
  } finally {
    await started.close()
  }
}

/** Random delays of responses in milliseconds, most of them short: at most --delay, and longer for hiccups. */
function delays(random: Random): () => number {
  const longestMs = Number(values.delay)
  return () => random() ** 3 * longestMs * (random() * hiccupOdds < 1 ? hiccupFactor : 1)
}

/** Each verdict that differs from that of the undisturbed run, in one line. */
function differencesOf(results: readonly CheckResult[]): string[] {
  const verdicts = verdictsOf(results)
  return [...expected]
    .filter(([id, verdict]) => verdicts.get(id) !== verdict)
    .map(([id, verdict]) => {
      const actual = verdicts.get(id)
      const reason = actual === undefined ? '' : ` (${reasonOf(id, actual, results)})`
      return `${id}: ${actual ?? 'no verdict'} instead of ${verdict}${reason}`
    })
}

function reasonOf(id: string, verdict: Verdict, results: readonly CheckResult[]): string {
  const result = results.find((each) => each.requirement === id && each.verdict === verdict)
  return result?.reason ?? 'no reason'
}
