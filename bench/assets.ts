import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProvider } from '../provider/index.ts'
import type { RunResults } from '../src/results/results.ts'
import { plumbline } from './command.ts'
import { type Figure, figure } from './figure.ts'

/** Requests and logins of a whole run against a provider whose login page has 25 assets. A script builds the form. */
export async function assetFigures(): Promise<Figure[]> {
  const out = await mkdtemp(join(tmpdir(), 'plumbline-bench-assets-'))
  const provider = await startProvider({ variants: ['pages-with-25-assets'] })
  try {
    const seconds = await plumbline(['check', '--no-report', '--out', out], out, provider.variables)
    const { budget }: RunResults = JSON.parse(await readFile(join(out, 'latest', 'results.json'), 'utf8'))
    return [
      figure('login page with 25 assets: requests', budget.requests, 'requests', 320),
      figure('login page with 25 assets: logins', budget.logins, 'logins', 4),
      figure('login page with 25 assets: whole run', seconds, 's'),
    ]
  } finally {
    await provider.close()
    await rm(out, { recursive: true, force: true })
  }
}
