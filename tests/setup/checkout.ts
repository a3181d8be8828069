import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'

const repository = path.resolve(import.meta.dirname, '..', '..')

/** The end of a process. `code` is null if a signal ended it. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * A small checkout in a temporary folder: the real set-up scripts, a lock file with one package, and a PATH with only
 * the commands of a test. It has no access to a network.
 */
export class Checkout {
  readonly root: string
  readonly commands: string
  readonly env: Record<string, string>

  constructor() {
    const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-set-up-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    this.root = path.join(folder, 'checkout')
    this.commands = path.join(folder, 'commands')
    mkdirSync(this.commands)
    for (const part of ['bin', 'scripts', 'src/browser/find-chromium.mjs']) {
      cpSync(path.join(repository, part), path.join(this.root, part), { recursive: true })
    }
    this.env = { PATH: this.commands, HOME: folder, CI: 'true' }
    this.writeManifest({ one: '1.0.0' })
    this.writeLock({ one: '1.0.0' })
  }

  /** Writes a file of the checkout, and creates its folders. */
  write(file: string, text: string): void {
    const target = path.join(this.root, file)
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, text)
  }

  read(file: string): string {
    return readFileSync(path.join(this.root, file), 'utf8')
  }

  writeManifest(dependencies: Record<string, string>): void {
    this.write('package.json', JSON.stringify({ name: 'stand-in', type: 'module', dependencies }))
  }

  writeLock(dependencies: Record<string, string>): void {
    this.write(
      'package-lock.json',
      JSON.stringify({ packages: { '': { dependencies }, ...installed(dependencies) } }),
    )
  }

  /** Adds packages to the lock file, by their folder. */
  addToLock(packages: Record<string, object>): void {
    const lock = JSON.parse(this.read('package-lock.json'))
    this.write('package-lock.json', JSON.stringify({ packages: { ...lock.packages, ...packages } }))
  }

  /** Writes the result of `npm ci`: npm's record of the installed packages. */
  installPackages(dependencies: Record<string, string> = { one: '1.0.0' }): void {
    this.write('node_modules/.package-lock.json', JSON.stringify({ packages: installed(dependencies) }))
    mkdirSync(path.join(this.root, 'node_modules', '.bin'), { recursive: true })
  }

  /** Puts a command on the PATH, written in JavaScript. @returns its absolute path */
  command(name: string, script: string): string {
    const file = path.join(this.commands, name)
    writeFileSync(file, `#!${process.execPath}\nconst fs = require('node:fs')\n${script}\n`)
    chmodSync(file, 0o755)
    return file
  }

  /** A browser that starts. @returns its absolute path */
  browser(name = 'chromium'): string {
    return this.command(name, '')
  }

  /**
   * An npm whose `npm ci` succeeds, and which counts its runs in `npm-runs`.
   * @param until a file for which `npm ci` waits
   */
  npm(until?: string): void {
    const record = JSON.stringify({ packages: installed({ one: '1.0.0' }) })
    const isOver = until === undefined ? 'true' : `fs.existsSync(${JSON.stringify(until)})`
    this.command(
      'npm',
      `if (process.argv[2] === 'ping') return
       fs.appendFileSync('npm-runs', process.argv.slice(2).join(' ') + '\\n')
       const timer = setInterval(() => {
         if (!${isOver}) return
         clearInterval(timer)
         fs.mkdirSync('node_modules/.bin', { recursive: true })
         fs.writeFileSync('node_modules/.package-lock.json', ${JSON.stringify(record)})
       }, 300)`,
    )
  }

  /** An npm whose `npm ci` fails like the real one with an error code. */
  failingNpm(code: string, words: string): void {
    const text = `npm warn EBADENGINE a warning\nnpm error code ${code}\nnpm error ${words}\n`
    this.command('npm', `process.stderr.write(${JSON.stringify(text)}); process.exitCode = 1`)
  }

  start(
    args: readonly string[],
    env: Record<string, string> = {},
  ): { child: ChildProcess; ended: Promise<Ended> } {
    const child = spawn(process.execPath, args, {
      cwd: this.root,
      env: { ...this.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = new Promise<Ended>((resolve, reject) => {
      let stdout = ''
      let stderr = ''
      child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text))
      child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
      child.once('error', reject)
      child.once('close', (code) => resolve({ code, stdout, stderr }))
    })
    return { child, ended }
  }

  setUp(env: Record<string, string> = {}, nodeOptions: readonly string[] = []): Promise<Ended> {
    return this.start([...nodeOptions, 'scripts/setup.mjs'], env).ended
  }
}

/** Node options that simulate another version of Node. */
export function pretendNode(checkout: Checkout, version: string): string[] {
  checkout.write('pretend.cjs', `Object.defineProperty(process.versions, 'node', { value: '${version}' })`)
  return ['--require', './pretend.cjs']
}

function installed(dependencies: Record<string, string>) {
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, version]) => [
      `node_modules/${name}`,
      { version, integrity: `sha512-${name}` },
    ]),
  )
}
