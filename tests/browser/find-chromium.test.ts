import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { findChromium } from '../../src/browser/find-chromium.mjs'

/** A PATH that holds nothing but some browsers. */
function pathWith(...names: readonly string[]): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-path-'))
  for (const name of names) {
    writeFileSync(join(folder, name), '')
    chmodSync(join(folder, name), 0o755)
  }
  return { PATH: folder, HOME: folder }
}

test.for([
  [['google-chrome', 'chromium'], {}, 'chromium'],
  [['chromium', 'chromium-headless-shell'], {}, 'chromium-headless-shell'],
  [['chromium', 'chromium-headless-shell'], { complete: true }, 'chromium'],
  [['chromium-headless-shell'], { complete: true }, undefined],
  [[], {}, undefined],
] as const)('of %j, used as %j, it takes %s', ([names, use, taken]) => {
  const found = findChromium(pathWith(...names), use)
  expect(found && basename(found.path)).toBe(taken)
})

test('CHROMIUM_PATH comes first', () => {
  const env = pathWith('chromium', 'chromium-headless-shell')
  const own = join(env.PATH ?? '', 'chromium')
  expect(findChromium({ ...env, CHROMIUM_PATH: own })).toEqual({ path: own, source: 'CHROMIUM_PATH' })
})
