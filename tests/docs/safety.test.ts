import { expect, test } from 'vitest'
import { safetyPage, safetyText } from '../../scripts/safety.ts'
import { read } from './markdown.ts'

// A check that joins this list sends something new to production: review it before you write the page.
test(`${safetyPage} lists what production may receive, as scripts/safety.ts writes it`, async () => {
  expect(read(safetyPage)).toBe(await safetyText())
})
