import { spawnSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { Checkout, pretendNode } from './checkout.ts'

// Each test starts processes, and is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const systemNode = '/usr/bin/node'

/** A checkout with packages, the pinned Node, and this program as the command. */
function checkoutWith(program: string): Checkout {
  const checkout = new Checkout()
  checkout.installPackages()
  checkout.write('src/cli/plumbline.ts', program)
  symlinkSync(process.execPath, path.join(checkout.root, 'node_modules/.bin/node'))
  return checkout
}

describe('the command', () => {
  test('advises in a checkout without packages', async () => {
    const checkout = new Checkout()
    const ended = await checkout.start(['bin/plumbline.mjs', '--help']).ended
    expect(ended).toMatchObject({ code: 3, stdout: '' })
    expect(ended.stderr).toMatch(/^Plumbline is not set up yet: run `npm start` .*\.\n$/)
  })

  test('advises on an old Node without the pinned one', async () => {
    const checkout = new Checkout()
    checkout.installPackages()
    const ended = await checkout.start([...pretendNode(checkout, '20.20.2'), 'bin/plumbline.mjs']).ended
    expect(ended).toMatchObject({ code: 3, stdout: '' })
    expect(ended.stderr).toMatch(/^Plumbline needs Node 22\.19 .* this is Node 20\.20\.2: .*\.\n$/)
  })

  test('goes over to the pinned Node with its arguments, and back with the exit code', async () => {
    const checkout = checkoutWith('console.log(process.argv.slice(2).join()); process.exitCode = 2 as number')
    const ended = await checkout.start([
      ...pretendNode(checkout, '20.20.2'),
      'bin/plumbline.mjs',
      'list',
      '--json',
    ]).ended
    expect(ended).toEqual({ code: 2, stdout: 'list,--json\n', stderr: '' })
  })

  test.skipIf(!existsSync(systemNode))('works on the Node of the system, whichever that is', async () => {
    const checkout = checkoutWith('const code: number = 1\nprocess.exitCode = code')
    expect(spawnSync(systemNode, ['bin/plumbline.mjs'], { cwd: checkout.root }).status).toBe(1)
  })

  test('passes an end on to the pinned Node', async () => {
    const checkout = checkoutWith(
      "process.on('SIGTERM', () => { console.log('ended'); process.exit(5) }); setInterval(() => {}, 1000); console.log('up')",
    )
    const { child, ended } = checkout.start([...pretendNode(checkout, '20.20.2'), 'bin/plumbline.mjs'])
    child.stdout?.once('data', () => child.kill('SIGTERM'))
    expect(await ended).toMatchObject({ code: 5, stdout: 'up\nended\n' })
  })
})
