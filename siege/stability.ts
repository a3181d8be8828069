import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { stressedProviders } from '../proof/stressed-providers.ts'
import { projectRoot } from '../src/project.ts'
import type { Attempt, Subject } from './subject.ts'

/** Runs of the clean provider, of each variant, and of one attempt. */
const [runsOfClean, runsOfVariant, runsOfAttempt] = [50, 10, 5]
const mostMinutes = 30

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
    method: `Each attempt is ${runsOfAttempt} runs of \`npm run stress\`: all suites in random order against the clean provider (${runsOfClean} runs) or a lawful variant (${runsOfVariant} runs each) with random delays, beside two busy threads, compared with an undisturbed run.`,
    attempts: new Map(attempts),
    close: async () => {},
  }
}

async function attempt(provider: string, from: number): Promise<Attempt> {
  const range = ['--runs', String(runsOfAttempt), '--from', String(from)]
  const words = ['proof/stress.ts', '--provider', provider, ...range, '--busy', '2']
  const options = { cwd: projectRoot, timeout: mostMinutes * 60_000 }
  const { stdout, code } = await promisify(execFile)(process.execPath, words, options).then(
    ({ stdout }) => ({ stdout, code: 0 }),
    ({ stdout, code }: { stdout: string; code: number | null }) => ({ stdout, code }),
  )
  const differences = stdout.split('\n').filter((line) => line.startsWith('  '))
  return {
    held: code === 0,
    measured: [stdout.trim().split('\n').at(-1), ...differences].join(' '),
  }
}
