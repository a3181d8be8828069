import { defineConfig } from 'vitest/config'

// Plumbline's own tests. Suites are run by the command, which knows the target: `npx plumbline check`.
export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    expect: { requireAssertions: true },
    maxWorkers: 2,
    testTimeout: 30_000,
    // Most hooks start a browser, which takes long on a machine that is busy.
    hookTimeout: 120_000,
  },
})
