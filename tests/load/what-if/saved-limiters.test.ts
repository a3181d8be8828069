import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { savedLimiters } from '../../../load/saved-limiters.ts'

/** A run whose probe `limiter` found a limiter with this variant. */
function runWith(variant: string | undefined): string {
  const run = mkdtempSync(join(tmpdir(), 'plumbline-saved-'))
  mkdirSync(join(run, 'probes'))
  writeFileSync(join(run, 'results.json'), '{}')
  const limiter = { result: 'identified', kind: 'fixed-window', variant, capacity: 5, rate: 1 }
  writeFileSync(join(run, 'probes', 'limiter-event-search.json'), JSON.stringify({ limiter }))
  return run
}

test.each([
  ['grid', 'grid'],
  ['on a grid', 'grid'],
  ['aligned to the clock', 'clock'],
  ['', undefined],
  [undefined, undefined],
])('a saved variant %j is read as %j, whichever version stored it', (stored, variant) => {
  const [saved] = savedLimiters('unused', runWith(stored))
  expect(saved?.limiter).toEqual({
    result: 'identified',
    kind: 'fixed-window',
    capacity: 5,
    rate: 1,
    ...(variant && { variant }),
  })
})
