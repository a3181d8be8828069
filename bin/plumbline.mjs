#!/usr/bin/env node
// The command. Finds a Node that can run the sources as they are (TypeScript), then hands over to them.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import nodeModule from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { NODE_NEEDED, runsPlumbline } from '../scripts/setup/node-version.mjs'

const EXIT_SETUP = 3
const EXIT_INTERRUPTED = 130
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const pinned = path.join(root, 'node_modules', '.bin', 'node')

if (!existsSync(path.join(root, 'node_modules'))) {
  console.error('Plumbline is not set up yet: run `npm start` once, which installs what is missing.')
  process.exitCode = EXIT_SETUP
} else if (runsPlumbline(process.versions.node)) {
  // Compiled sources are kept, for this process and those it starts: reading all suites takes a third of the time.
  process.env.NODE_COMPILE_CACHE ??= path.join(root, 'node_modules', '.cache', 'plumbline')
  nodeModule.enableCompileCache(process.env.NODE_COMPILE_CACHE)
  endWithLauncher()
  await import('../src/cli/plumbline.ts')
} else if (existsSync(pinned)) {
  process.exitCode = await runWith(pinned)
} else {
  console.error(
    `Node ${NODE_NEEDED} is needed, and this is Node ${process.versions.node}: run \`npm start\`, which brings one along where it can.`,
  )
  process.exitCode = EXIT_SETUP
}

/** A run that nobody watches any more sends no further request. What was found until then is in results.json. */
function endWithLauncher() {
  if (!process.send) return
  process.once('disconnect', () => process.exit(EXIT_INTERRUPTED))
  // A listener alone would keep the process.
  process.channel?.unref()
}

/** @param {string} node @returns {Promise<number>} the exit code of the same command on that Node */
function runWith(node) {
  return new Promise((resolve, reject) => {
    // The channel tells the command when this process is gone, whatever ended it.
    const child = spawn(node, process.argv.slice(1), { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
    process.on('SIGTERM', () => child.kill('SIGTERM'))
    process.on('SIGINT', () => {
      // A terminal interrupts both processes at once: passing it on would interrupt the other one twice.
      if (!process.stdin.isTTY) child.kill('SIGINT')
    })
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 143)))
  })
}
