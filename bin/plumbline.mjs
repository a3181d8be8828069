#!/usr/bin/env node
// The `plumbline` command: finds a Node that can run the TypeScript sources, and starts `src/cli` with that Node.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import nodeModule from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { requiredNode, runsPlumbline } from '../scripts/setup/node-version.mjs'

// Exit codes of src/exit-codes.ts, which an older Node cannot import.
const exitSetup = 3
const exitInterrupted = 130
const exitTerminated = 143
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const pinned = path.join(root, 'node_modules', '.bin', 'node')

// Only you can read the files that this command writes: they may describe users and weaknesses of a target.
process.umask(0o077)

if (!existsSync(path.join(root, 'node_modules'))) {
  console.error('Plumbline is not set up yet: run `npm start` once, which installs what is missing.')
  process.exitCode = exitSetup
} else if (runsPlumbline(process.versions.node)) {
  // With this cache, the process and its children load all suites in a third of the time.
  process.env.NODE_COMPILE_CACHE ??= path.join(root, 'node_modules', '.cache', 'plumbline')
  nodeModule.enableCompileCache(process.env.NODE_COMPILE_CACHE)
  exitWithParent()
  await import('../src/cli/plumbline.ts')
} else if (existsSync(pinned)) {
  process.exitCode = await runWith(pinned)
} else {
  console.error(
    `Plumbline needs Node ${requiredNode}, but this is Node ${process.versions.node}: run \`npm start\`, which installs it if possible.`,
  )
  process.exitCode = exitSetup
}

/** Exits when the parent process exits, so that an orphaned run sends no requests. results.json keeps the results. */
function exitWithParent() {
  if (!process.send) return
  process.once('disconnect', () => process.exit(exitInterrupted))
  // Otherwise the open channel keeps this process alive.
  process.channel?.unref()
}

/** Runs the same command on another Node. @param {string} node @returns {Promise<number>} its exit code */
function runWith(node) {
  return new Promise((resolve, reject) => {
    // The IPC channel closes even if this process is killed. The child then exits (`exitWithParent`).
    const child = spawn(node, process.argv.slice(1), { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
    process.on('SIGTERM', () => child.kill('SIGTERM'))
    process.on('SIGINT', () => {
      // Ctrl-C reaches both processes: forwarding it would interrupt the child twice.
      if (!process.stdin.isTTY) child.kill('SIGINT')
    })
    child.once('error', reject)
    child.once('exit', (code, signal) =>
      resolve(code ?? (signal === 'SIGINT' ? exitInterrupted : exitTerminated)),
    )
  })
}
