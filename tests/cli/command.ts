import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { projectRoot } from '../../src/project.ts'
import type { Ended, Job } from './command-server.ts'

interface Place {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** The environment of every command. */
const common = { PATH: process.env.PATH, HOME: process.env.HOME }

/**
 * Starts `plumbline` as a separate process, without a terminal: for signals, pipes, and settings that Node reads at its
 * start.
 */
export function startPlumbline(
  words: readonly string[],
  { cwd, env = {} }: Place,
): { child: ChildProcess; ended: Promise<Ended>; texts: { stdout: string; stderr: string } } {
  const child = spawn(process.execPath, [join(projectRoot, 'bin/plumbline.mjs'), ...words], {
    cwd,
    env: { ...common, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      texts[name] += chunk.toString()
    })
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, ...texts })))
  return { child, ended, texts }
}

let server: Promise<string> | undefined

/** Runs `plumbline` in a command server, by default that of this worker, which saves most of its start. */
export async function plumbline(
  words: readonly string[],
  { cwd, env = {} }: Place,
  address?: string,
): Promise<Ended> {
  const job: Job = { words, cwd, env: { ...common, ...env } }
  const response = await fetch(address ?? (await commandServer()), {
    method: 'POST',
    body: JSON.stringify(job),
  })
  return (await response.json()) as Ended
}

/** @returns the address of the command server of this worker. The server ends with the worker */
export function commandServer(): Promise<string> {
  server ??= start()
  return server
}

async function start(): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'command-server.ts')], {
    env: { ...common, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    // Its standard input closes when this process ends for any reason.
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [address] = await once(child.stdout, 'data')
  return String(address).trim()
}
