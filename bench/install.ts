import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../src/project.ts'
import { type Figure, figure } from './figure.ts'

const run = promisify(execFile)

/** The time from a fresh clone to its first report, and the size of the installed packages. */
export async function installFigures(): Promise<Figure[]> {
  const clone = await mkdtemp(join(tmpdir(), 'plumbline-bench-install-'))
  try {
    await run('git', ['clone', '--quiet', projectRoot, clone])
    const started = performance.now()
    await run('npm', ['start'], { cwd: clone, maxBuffer: 1 << 26 })
    const seconds = (performance.now() - started) / 1000
    const { all, node, development } = await installedMiB(clone)
    return [
      figure('fresh clone: from npm start to the first report', seconds, 's'),
      figure('installed packages', all, 'MiB'),
      figure('of these the pinned Node', node, 'MiB'),
      figure('of these for development only', development, 'MiB'),
    ]
  } finally {
    await rm(clone, { recursive: true, force: true })
  }
}

async function installedMiB(clone: string) {
  const lock = JSON.parse(await readFile(join(clone, 'package-lock.json'), 'utf8'))
  const packages = Object.entries(lock.packages as Record<string, { readonly dev?: boolean }>)
  let [all, node, development] = [0, 0, 0]
  for (const [path, { dev }] of packages) {
    if (path === '') continue
    const mib = (await bytesOf(join(clone, path))) / 2 ** 20
    all += mib
    if (dev) development += mib
    if (path.startsWith('node_modules/node-linux')) node += mib
  }
  return { all, node, development }
}

/** The disk space of a package in bytes, without the packages inside; 0 if the package is not installed. */
async function bytesOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  const sizes = entries.map(async (entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? 0 : bytesOf(path)
    return entry.isFile() ? (await stat(path)).blocks * 512 : 0
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
