import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Tests of the module under mutation, set by run.ts: paths separated by commas. */
const tests = process.env.MUTATION_TESTS?.split(',') ?? []

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: { include: tests, testTimeout: 30_000 },
})
