import { stressedProviders } from '../proof/stressed-providers.ts'
import { runProcess } from './run-process.ts'
import type { Attempt, Subject } from './subject.ts'

/** Number of runs: of the clean provider, of each variant, and in one attempt. */
const [runsOfClean, runsOfVariant, runsOfAttempt] = [50, 10, 5]

/** Runs of all suites on a busy machine, by `npm run stress`. */
export async function stability(): Promise<Subject> {
  const attempts = stressedProviders.flatMap((provider) => {
    const runs = provider === 'clean' ? runsOfClean : runsOfVariant
    return Array.from({ length: runs / runsOfAttempt }, (_, index) => {
      const from = 1 + index * runsOfAttempt
      const title = `${provider}, runs ${from} to ${from + runsOfAttempt - 1}`
      return [title, () => attempt(provider, from)] as const
    })
  })
  return {
    name: 'stability',
    promise:
      'No verdict depends on the order of the suites, on delays of lawful providers, or on a busy machine.',
    method: `Each attempt is ${runsOfAttempt} runs of \`npm run stress\`: all suites in random order against the clean provider (${runsOfClean} runs) or a lawful variant (${runsOfVariant} runs each) with random delays and two busy threads, compared with an undisturbed run.`,
    attempts: new Map(attempts),
    close: async () => {},
  }
}

async function attempt(provider: string, from: number): Promise<Attempt> {
  const range = ['--runs', String(runsOfAttempt), '--from', String(from)]
  const args = ['proof/stress.ts', '--provider', provider, ...range, '--busy', '2']
  const { stdout, code } = await runProcess(args)
  const differences = stdout.split('\n').filter((line) => line.startsWith('  '))
  return {
    held: code === 0,
    measured: [stdout.trim().split('\n').at(-1), ...differences].join(' '),
  }
}
