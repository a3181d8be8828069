import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { packagesInstalled } from '../scripts/setup/packages.mjs'

const folder = import.meta.dirname

/** Runs `npm ci` in this folder, unless its packages are those of its lock file. No package may run a script. */
export async function installPackages(): Promise<void> {
  if (packagesInstalled(folder)) return
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder]
  const [code] = await once(spawn('npm', args, { stdio: 'inherit' }), 'close')
  if (code !== 0) throw new Error(`npm ${args.join(' ')} ended with code ${code}`)
}

/**
 * Imports one of these packages. Its own types are not imported, since type checks run without the packages: the caller
 * declares the part that it uses.
 */
export async function load<Api>(name: string): Promise<Api> {
  return import(name)
}
