import { existsSync, readdirSync, readlinkSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { Checkout, type Ended, pretendNode } from './checkout.ts'

// Each test starts processes, and is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

/** Set-up ended with exit code 3, and its last line is one sentence that contains these texts. */
function expectSentence(ended: Ended, ...words: string[]) {
  const lines = ended.stderr.trimEnd().split('\n')
  const sentence = lines.at(-1) ?? ''
  for (const word of words) expect(sentence).toContain(word)
  expect(sentence).toMatch(/^\w.*\.$/)
  expect(sentence).not.toMatch(/\. [A-Z]/)
  expect(lines.slice(0, -1).every((line) => line.startsWith('set-up: '))).toBe(true)
  expect(ended.stdout).toBe('')
  expect(ended.code).toBe(3)
}

function readyCheckout(): Checkout {
  const checkout = new Checkout()
  checkout.installPackages()
  checkout.browser()
  return checkout
}

describe('a checkout that lacks something', () => {
  test('receives only its packages and its command, and reports this', async () => {
    const checkout = new Checkout()
    checkout.npm()
    checkout.browser()
    const first = await checkout.setUp()
    expect(first).toMatchObject({ code: 0, stdout: '' })
    expect(first.stderr).toMatch(/^set-up: installing packages \(npm ci\) …\nset-up: ready after \d+ s\n$/)
    expect(checkout.read('npm-runs')).toMatch(/^ci /)
    expect(readlinkSync(path.join(checkout.root, 'node_modules/.bin/plumbline'))).toBe(
      '../../bin/plumbline.mjs',
    )
    expect(readdirSync(path.join(checkout.root, '.setup'))).not.toContain('lock')

    const second = await checkout.setUp()
    expect(second).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(checkout.read('npm-runs').trim().split('\n')).toHaveLength(1)
  })

  test.each([
    ['another version', { one: '1.0.1' }],
    ['one package too few', {}],
  ])('installs again over %s', async (_, dependencies) => {
    const checkout = new Checkout()
    checkout.installPackages(dependencies)
    checkout.npm()
    checkout.browser()
    expect(await checkout.setUp()).toMatchObject({ code: 0 })
    expect(checkout.read('npm-runs')).toMatch(/^ci /)
  })

  test('runs npm without the Node that npm is about to replace', async () => {
    const checkout = new Checkout()
    checkout.browser()
    checkout.command('npm', "fs.writeFileSync('path', process.env.PATH); process.exitCode = 1")
    const own = path.join(checkout.root, 'node_modules', '.bin')
    await checkout.setUp({ PATH: `${own}:${checkout.commands}` })
    expect(checkout.read('path')).toBe(checkout.commands)
  })

  test('receives a browser from Debian if the user may install one', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('needs root, or sudo')
    const checkout = new Checkout()
    checkout.installPackages()
    checkout.command(
      'apt-get',
      `fs.appendFileSync('${checkout.root}/apt', process.argv.slice(2).join(' ') + '\\n')
       if (process.argv.includes('chromium-headless-shell')) process.exitCode = 100
       else if (process.argv.includes('chromium')) {
         fs.writeFileSync('${checkout.commands}/chromium', '#!${process.execPath}\\n', { mode: 0o755 })
       }`,
    )
    const ended = await checkout.setUp()
    expect(ended.stderr).toContain('installing Chromium with apt-get')
    expect(ended.code).toBe(0)
    expect(checkout.read('apt').match(/install .*/g)).toEqual([
      expect.stringMatching(/ chromium .* chromium-headless-shell$/),
      expect.stringMatching(/ chromium .* chromium-headless-shell$/),
      expect.stringMatching(/ chromium .*fonts-liberation$/),
    ])
  })

  test("downloads Playwright's browser where that is allowed", async () => {
    const checkout = new Checkout()
    checkout.installPackages()
    checkout.write('node_modules/playwright/package.json', '{ "main": "main.cjs" }')
    checkout.write(
      'node_modules/playwright/main.cjs',
      "exports.chromium = { executablePath: () => process.env.HOME + '/.cache/ms-playwright/chromium-1/chrome' }",
    )
    checkout.write(
      'node_modules/playwright/cli.js',
      `const fs = require('node:fs')
       const folder = process.env.HOME + '/.cache/ms-playwright/chromium-1'
       fs.mkdirSync(folder, { recursive: true })
       fs.writeFileSync(folder + '/chrome', '#!${process.execPath}\\n', { mode: 0o755 })`,
    )
    const ended = await checkout.setUp({ CI: '' })
    expect(ended.stderr).toContain("downloading Playwright's Chromium")
    expect(ended.code).toBe(0)
    expect(await checkout.setUp()).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})

describe('a checkout that lacks nothing', () => {
  test('prints nothing and needs neither npm nor the lock', async () => {
    const checkout = readyCheckout()
    await checkout.setUp()
    rmSync(path.join(checkout.root, '.setup'), { recursive: true })
    expect(await checkout.setUp()).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(existsSync(path.join(checkout.root, '.setup'))).toBe(false)
  })
})

describe('each way to fail ends in one sentence', () => {
  test('Node too old', async () => {
    const checkout = readyCheckout()
    const ended = await checkout.setUp({}, pretendNode(checkout, '18.20.4'))
    expectSentence(ended, 'Plumbline needs Node 20 or newer', 'Node 18.20.4', 'install')
  })

  test('Node 20 if the packages include no pinned Node', async () => {
    const checkout = readyCheckout()
    const ended = await checkout.setUp({}, pretendNode(checkout, '20.20.2'))
    expectSentence(ended, 'Node 22.19', 'Node 20.20.2', 'install')
  })

  test.each([
    ['ENOTFOUND', 'request to https://registry.example/one failed', ['https://registry.example', 'network']],
    ['ECONNREFUSED', 'request to http://127.0.0.1:9/one failed', ['http://127.0.0.1:9', 'HTTPS_PROXY']],
    ['ERR_SOCKET_TIMEOUT', 'Socket timeout', ['npm registry', 'network']],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'request to https://registry.example/one failed', ['NODE_EXTRA_CA_CERTS']],
    [
      'E404',
      '404 Not Found - GET https://registry.example/one',
      ['https://registry.example', 'registry setting'],
    ],
    ['EUSAGE', '`npm ci` can only install packages when', ['do not match', 'npm install']],
    ['ENOSPC', 'no space left on device, write', ['full', 'free']],
    ['EACCES', 'permission denied, mkdir', ['permission', 'writable']],
    ['ESOMETHING', 'an unknown error', ['ESOMETHING', 'npm-ci.log']],
  ])('npm ci fails with %s', async (code, words, expected) => {
    const checkout = new Checkout()
    checkout.browser()
    checkout.failingNpm(code, words)
    const ended = await checkout.setUp()
    expectSentence(ended, ...expected)
    expect(ended.stderr).not.toContain('EBADENGINE')
    expect(checkout.read('.setup/npm-ci.log')).toContain(words)
  })

  test('no registry, and not everything in the cache of npm', async () => {
    const checkout = new Checkout()
    checkout.browser()
    checkout.command(
      'npm',
      `const offline = process.argv.includes('--offline')
       console.error('npm error code ' + (process.argv[2] === 'ping' ? 'EAI_AGAIN' : offline ? 'ENOTCACHED' : 'ENOTHING'))
       process.exitCode = 1`,
    )
    expectSentence(await checkout.setUp(), 'Cannot reach the npm registry', 'EAI_AGAIN')
  })

  test('npm ci ends well without an optional package of this platform', async () => {
    const checkout = new Checkout()
    checkout.npm()
    checkout.browser()
    const native = { version: '1.0.0', integrity: 'sha512-native', optional: true }
    checkout.addToLock({
      'node_modules/native-elsewhere': { ...native, os: ['elsewhere'] },
      'node_modules/native-here': { ...native, os: [process.platform], cpu: [process.arch] },
    })
    expectSentence(await checkout.setUp(), 'did not install node_modules/native-here', 'delete node_modules')
  })

  test('no npm', async () => {
    expectSentence(await new Checkout().setUp(), 'npm', 'install it')
  })

  test('npm refuses a manifest that differs from the lock file', async () => {
    const checkout = readyCheckout()
    checkout.writeManifest({ one: '1.0.0', two: '2.0.0' })
    checkout.failingNpm('EUSAGE', 'Missing: two@2.0.0 from lock file')
    expectSentence(await checkout.setUp(), 'do not match', 'npm install')
  })

  test('no lock file, and one that is broken', async () => {
    const checkout = readyCheckout()
    checkout.write('package-lock.json', '<<<<<<< HEAD')
    expectSentence(await checkout.setUp(), 'package-lock.json is not valid JSON')
    rmSync(path.join(checkout.root, 'package-lock.json'))
    expectSentence(await checkout.setUp(), 'package-lock.json is missing', 'git checkout')
  })

  test('no browser and no way to install one', async () => {
    const checkout = new Checkout()
    checkout.installPackages()
    expectSentence(
      await checkout.setUp(),
      'No browser was found',
      'CHROMIUM_PATH',
      'apt-get install chromium',
    )
  })

  test('CHROMIUM_PATH is not an executable file', async () => {
    const checkout = readyCheckout()
    expectSentence(
      await checkout.setUp({ CHROMIUM_PATH: '/nowhere/chrome' }),
      'CHROMIUM_PATH',
      '"/nowhere/chrome"',
    )
    checkout.write('.env', 'TARGET=uat\nCHROMIUM_PATH=/bin/sh\n')
    checkout.write('.env.uat', 'CHROMIUM_PATH=package.json\n')
    expectSentence(await checkout.setUp(), 'CHROMIUM_PATH', '"package.json"')
  })

  test('the browser does not start', async () => {
    const checkout = readyCheckout()
    const broken = checkout.command('chromium', 'process.exitCode = 127')
    expectSentence(await checkout.setUp(), broken, 'does not start', 'CHROMIUM_PATH')
  })

  test('the checkout cannot be written to', async () => {
    const checkout = new Checkout()
    checkout.npm()
    // Root ignores permissions, but cannot create folders in /sys.
    symlinkSync('/sys', path.join(checkout.root, '.setup'))
    expectSentence(await checkout.setUp(), 'No permission to write', checkout.root)
  })
})

describe('two set-ups in one checkout', () => {
  test('install once: the second waits for the first', async () => {
    const checkout = new Checkout()
    checkout.npm('one-waits')
    checkout.browser()
    const started = [checkout.start(['scripts/setup.mjs']), checkout.start(['scripts/setup.mjs'])]
    for (const { child } of started)
      child.stderr?.on('data', (text) => {
        if (text.includes('waiting for another set-up')) checkout.write('one-waits', '')
      })
    const both = await Promise.all(started.map(({ ended }) => ended))
    expect(both.map((ended) => ended.code)).toEqual([0, 0])
    expect(checkout.read('npm-runs').trim().split('\n')).toHaveLength(1)
  })

  test('a lock whose processes have ended is taken over', async () => {
    const checkout = new Checkout()
    checkout.npm()
    checkout.browser()
    const { child, ended } = checkout.start(['--eval', ''])
    await ended
    checkout.write('.setup/lock/owner.json', JSON.stringify({ host: hostname(), processes: [child.pid] }))
    expect((await checkout.setUp()).stderr).not.toContain('waiting')
    expect(readdirSync(path.join(checkout.root, '.setup'))).not.toContain('lock')
  })

  test('a lock from elsewhere is taken over when it has been silent', async () => {
    const checkout = new Checkout()
    checkout.npm()
    checkout.browser()
    checkout.write('.setup/lock/owner.json', JSON.stringify({ host: 'elsewhere.example', processes: [1] }))
    const longAgo = new Date(Date.now() - 5 * 60_000)
    utimesSync(path.join(checkout.root, '.setup/lock'), longAgo, longAgo)
    expect((await checkout.setUp()).code).toBe(0)
  })

  test('ending one takes npm with it, frees the lock and leaves nothing that looks complete', async () => {
    const checkout = new Checkout()
    checkout.browser()
    checkout.command(
      'npm',
      "if (process.argv[2] === 'ci') setInterval(() => fs.writeFileSync('alive', ''), 20)",
    )
    const { child, ended } = checkout.start(['scripts/setup.mjs'])
    const alive = path.join(checkout.root, 'alive')
    await expect.poll(() => existsSync(alive)).toBe(true)
    child.kill('SIGTERM')
    expect((await ended).code).toBe(143)
    rmSync(alive)
    await sleep(200)
    expect(existsSync(alive)).toBe(false)
    expect(existsSync(path.join(checkout.root, '.setup', 'lock'))).toBe(false)
    checkout.npm()
    expect((await checkout.setUp()).stderr).toContain('installing packages')
  })
})
