import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningProvider, startProvider } from '../provider/index.ts'
import { startCommand } from './command.ts'
import { type Front, startFront } from './front.ts'
import { maxTreeMiB } from './memory.ts'
import { peakMemoryMiB } from './process-tree.ts'
import { outcomesIn } from './run-outcomes.ts'
import type { Attempt, Subject } from './subject.ts'
import { type TargetCase, targetCases } from './target-cases.ts'
import { type Endpoint, endpoints, exitCodeFor, type Outcome, requirements } from './target-outcomes.ts'
import { targetTable } from './target-table.ts'

const maxSeconds = 300

/** Runs of the command against a provider with one misbehaving endpoint. */
export async function targets(): Promise<Subject> {
  const provider = await startProvider()
  return {
    name: 'targets',
    promise: `A run against any target ends within ${maxSeconds} s and ${maxTreeMiB} MiB, with the exit code and the cause of the table below, and all requirements that do not need the broken endpoint are decided.`,
    method:
      'The command checks a provider with one endpoint that misbehaves: always, once, or at every fourth request.',
    attempts: new Map(targetCases.map((each) => [each.name, () => attempt(provider, each)])),
    parallel: 2,
    table: (held) => targetTable(targetCases, held),
    close: () => provider.close(),
  }
}

async function attempt(provider: RunningProvider, tried: TargetCase): Promise<Attempt> {
  let [count, broken] = [0, 0]
  const front = await startFront(provider, ({ url = '' }) => {
    if (!endpoints[tried.endpoint].test(url)) return undefined
    count += 1
    if (!tried.isBroken(count)) return undefined
    broken += 1
    return tried.misbehave
  })
  try {
    const { held, measured } = await judge(front, tried)
    return broken > 0 ? { held, measured } : { held: false, measured: `${measured}; nothing was broken` }
  } finally {
    front.close()
  }
}

async function judge({ variables }: Front, tried: TargetCase): Promise<Attempt> {
  const began = performance.now()
  await using run = startCommand(['check', '--no-report', '--only', ...tried.only], {
    ...variables,
    REQUESTS_PER_SECOND: '50',
  })
  const { result, mib } = await peakMemoryMiB(() => Promise.race([run.ended, expiry()]), run.child.pid ?? 0)
  const seconds = (performance.now() - began) / 1000
  const outcomes = outcomesIn(run.folder)
  const code = result?.code ?? null
  const held =
    isAsExpected(tried, outcomes) && code === exitCodeFor([...outcomes.values()]) && mib < maxTreeMiB
  const shown = (held ? [...new Set(outcomes.values())] : [...outcomes].map((pair) => pair.join(' '))).join(
    ', ',
  )
  return {
    held,
    measured: `exit code ${code ?? 'none'}, ${seconds.toFixed(0)} s, ${mib} MiB: ${shown || 'no results'}`,
  }
}

function isAsExpected(
  { endpoint, expected, others }: TargetCase,
  outcomes: ReadonlyMap<string, Outcome>,
): boolean {
  const affected = [...outcomes].filter(([id]) => isAffected(id, endpoint)).map(([, outcome]) => outcome)
  const unaffected = [...outcomes].filter(([id]) => !isAffected(id, endpoint)).map(([, outcome]) => outcome)
  // A wrong response need not violate all requirements of its endpoint.
  const permitted: readonly Outcome[] = expected.includes('fail') ? [...expected, 'pass'] : expected
  return (
    affected.some((outcome) => expected.includes(outcome)) &&
    affected.every((outcome) => permitted.includes(outcome)) &&
    unaffected.every((outcome) => (others ?? ['pass']).includes(outcome))
  )
}

function isAffected(id: string, endpoint: Endpoint): boolean {
  return (requirements[id] ?? [endpoint]).includes(endpoint)
}

function expiry(): Promise<undefined> {
  return sleep(maxSeconds * 1000, undefined, { ref: false })
}
