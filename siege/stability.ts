import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { projectRoot } from '../src/project.ts'
import type { Attempt, Subject } from './subject.ts'

const batches = 10
const runsOfBatch = 5
const mostMinutes = 30

/** Runs of all suites on a busy machine, by `npm run stress`. */
export async function stability(): Promise<Subject> {
  const numbers = Array.from({ length: batches }, (_, index) => 1 + index * runsOfBatch)
  return {
    name: 'stability',
    promise:
      'No verdict depends on the order of the suites, on delays of lawful providers, or on a busy machine.',
    method: `Each attempt is ${runsOfBatch} runs of \`npm run stress\`: all suites in random order against a clean provider or a lawful variant with random delays, beside two busy threads, compared with an undisturbed run.`,
    attempts: new Map(
      numbers.map((from) => [`runs ${from} to ${from + runsOfBatch - 1}`, () => attempt(from)]),
    ),
    close: async () => {},
  }
}

async function attempt(from: number): Promise<Attempt> {
  const words = ['proof/stress.ts', '--runs', String(runsOfBatch), '--from', String(from), '--busy', '2']
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
