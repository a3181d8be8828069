import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Two projects: `suites` checks a target (TARGET, the embedded provider by default), `tests` are Plumbline's own.
//   npx vitest run --project suites -t TOKEN-
//   npx vitest run --project tests

// Vitest would bundle a static import, with all of src, into the configuration.
const load = (file: string) => import(new URL(file, import.meta.url).href)
const { suitesProject } = await load('./src/run/vitest/suites-project.ts')
const { SuitesAllureReporter } = await load('./src/run/vitest/suites-allure-reporter.ts')
const { Sequencer } = await load('./tests/sequencer.ts')

export default defineConfig({
  test: {
    // Runs suites in the order of src/check/suites.ts, because they share logins, tokens and one budget.
    sequence: { sequencer: Sequencer },
    // Allure results of the suites, in reports/vitest/allure-results; `plumbline check` uses its own reporters.
    reporters: ['default', new SuitesAllureReporter()],
    projects: [
      suitesProject,
      {
        test: {
          name: 'tests',
          include: ['tests/**/*.test.ts'],
          // Below testTimeout, so that the error shows the condition that was not met.
          expect: { requireAssertions: true, poll: { timeout: 50_000 } },
          // Three workers per processor of a small machine with 2 processors, because tests mostly wait.
          maxWorkers: 6,
          // A worker runs many files and loads each module once. Tests must therefore restore shared state that they
          // change: the catalogue, variables, clocks. Mocks of modules do not work.
          isolate: false,
          experimental: { viteModuleRunner: false, nodeLoader: false },
          // Workers, and processes that they start, keep compiled sources in the same folder as `plumbline`.
          env: {
            NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/plumbline', import.meta.url)),
          },
          // A busy machine takes long to start a process or a browser, which most hooks do.
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
