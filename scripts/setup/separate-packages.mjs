import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { packagesInstalled } from './packages.mjs'

/**
 * Runs `npm ci`, without install scripts, in a folder with its own lock file, unless the packages are installed.
 *
 * @param {string} folder
 */
export async function installSeparatePackages(folder) {
  if (packagesInstalled(folder)) return
  console.log(`installing the packages of ${folder} (npm ci) …`)
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder]
  const [code] = await once(spawn('npm', args, { stdio: 'inherit' }), 'close')
  if (code !== 0) throw new Error(`npm ${args.join(' ')} ended with code ${code}`)
}
