import { expect, test } from 'vitest'
import { safetyPage, safetyText } from '../../scripts/safety.ts'
import { read } from './markdown.ts'

// A check that joins this list sends something new to production: review it before you write the page.
test(`${safetyPage} lists the checks that production may receive, as scripts/safety.ts writes them`, async () => {
  expect(read(safetyPage)).toBe(await safetyText())
})
