import { relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { exitCodes } from '../exit-codes.ts'
import { writeReports } from '../report/report.ts'
import { openRun } from '../results/saved-run.ts'
import { reportDirectory } from '../run/report-directory.ts'

/** `plumbline report`: rebuilds the report of a run from its files. */
export async function report(run: string | undefined, options: { readonly open?: boolean }): Promise<void> {
  const { directory } = openRun(reportDirectory(), run)
  const file = await writeReports(directory, {
    warn: (sentence, error) => {
      console.error(sentence)
      // The user can fix an error of the file system; anything else is a defect.
      process.exitCode = 'syscall' in error ? exitCodes.setup : exitCodes.defect
    },
  })
  if (file === undefined) return
  console.log(relative(process.cwd(), file))
  if (options.open) await open(file)
}

/** A viewer that cannot open the file ends within this time, in milliseconds. */
const viewerMs = 3000

/** Shows a file in the user's browser, which may stay open longer than this command. */
async function open(file: string): Promise<void> {
  const { spawn } = await import('node:child_process')
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const child = spawn(opener, [pathToFileURL(file).href], { stdio: 'ignore', detached: true })
  const failed = (why: string) => console.error(`${opener} ${why}: open the file in a browser yourself.`)
  child.once('error', () => failed('is not available'))
  child.once('exit', (code) => code !== 0 && failed('cannot open the report'))
  setTimeout(() => child.unref(), viewerMs).unref()
}
