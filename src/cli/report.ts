import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildReport } from '../run/report.ts'
import { runFiles } from '../run/run-directory.ts'
import { readEnvironment, targetNameFrom } from '../target/config.ts'
import { SetupError } from '../target/problem.ts'

/** `plumbline report`: builds the report of a run from what the run left on disk. */
export async function report(run: string | undefined, options: { readonly open?: boolean }): Promise<void> {
  const environment = readEnvironment(
    targetNameFrom(undefined, process.env, process.cwd()),
    process.env,
    process.cwd(),
  )
  const reportDir = environment.REPORT_DIR ?? 'reports'
  const candidates = run === undefined ? [join(reportDir, 'latest')] : [run, join(reportDir, 'runs', run)]
  const directory = candidates.find((candidate) => existsSync(join(candidate, runFiles.results)))
  if (directory === undefined) {
    throw new SetupError([
      {
        name: run ?? 'The latest run',
        what: `is not a run: there is no ${runFiles.results} in ${candidates.join(' or ')}`,
      },
    ])
  }
  const file = await buildReport(directory)
  if (file === undefined) return
  console.log(relative(process.cwd(), file))
  if (options.open) {
    const { spawn } = await import('node:child_process')
    const opener = process.platform === 'darwin' ? 'open' : 'xdg-open'
    const child = spawn(opener, [pathToFileURL(file).href], { stdio: 'ignore', detached: true })
    child.once('error', () => console.error(`${opener} is not available; open the file by hand.`))
    child.unref()
  }
}
