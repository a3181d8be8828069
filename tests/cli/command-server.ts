/**
 * Runs commands of `plumbline`, one after another, in one process that has loaded their imports. Started by command.ts;
 * it receives a job as the body of a request, and responds with its exit code and output.
 */
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { projectRoot } from '../../src/project.ts'

/** One call of `plumbline`. */
export interface Job {
  readonly words: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The result of a command. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const streams = ['stdout', 'stderr'] as const
const compileCache = process.env.NODE_COMPILE_CACHE
let jobs = 0

async function run({ words, cwd, env }: Job): Promise<Ended> {
  const texts = { stdout: '', stderr: '' }
  const restore = streams.map((name) => capture(name, (text) => (texts[name] += text)))
  process.argv = [process.execPath, join(projectRoot, 'bin', 'plumbline.mjs'), ...words]
  process.chdir(cwd)
  setEnvironment({ ...env, NODE_COMPILE_CACHE: compileCache })
  process.exitCode = 0
  // The command ends the process if it cannot continue; its error message must not get lost.
  const tell = () => writeSync(2, texts.stderr)
  process.once('exit', tell)
  try {
    // A new query makes Node evaluate the entry again; its imports stay loaded.
    jobs += 1
    await import(`../../src/cli/plumbline.ts?job=${jobs}`)
    return { code: Number(process.exitCode), ...texts }
  } finally {
    for (const undo of restore) undo()
    process.off('exit', tell)
    process.removeAllListeners('uncaughtException')
    process.exitCode = 0
    // Tests remove the folder in which the command ran.
    process.chdir(projectRoot)
  }
}

/** Redirects the output of a stream. @returns a function that restores the stream */
function capture(name: 'stdout' | 'stderr', onText: (text: string) => void): () => void {
  const stream = process[name]
  const { write } = stream
  stream.write = (chunk: Uint8Array | string, ...rest: unknown[]) => {
    onText(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())
    const onWritten = rest.find((argument) => typeof argument === 'function')
    if (onWritten) process.nextTick(onWritten as () => void)
    return true
  }
  return () => {
    stream.write = write
    stream.removeAllListeners('error')
  }
}

function setEnvironment(env: Job['env']): void {
  for (const name of Object.keys(process.env)) delete process.env[name]
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value
}

let last: Promise<unknown> = Promise.resolve()
// Idle connections stay open: a connection that closes while it is reused would fail a test.
const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
  const job = (await json(request)) as Job
  const ended = last.then(() => run(job))
  last = ended.catch(() => undefined)
  response.end(JSON.stringify(await ended))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
process.stdin.resume().once('end', () => process.exit())
