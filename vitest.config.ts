import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Two projects: `suites` checks a target (TARGET, the embedded provider by default), `tests` are Plumbline's own.
//   npx vitest run --project suites -t TOKEN-
//   npx vitest run --project tests

// Imported here and not at the top, so that the configuration is not bundled with all of src.
const load = (file: string) => import(new URL(file, import.meta.url).href)
const { suitesProject } = await load('./src/run/vitest/suites-project.ts')
const { SuitesAllureReporter } = await load('./src/run/vitest/suites-allure-reporter.ts')
const { Sequencer } = await load('./tests/sequencer.ts')

export default defineConfig({
  test: {
    // Suites share logins, tokens and one budget, so their order matters: src/check/suites.ts has it.
    sequence: { sequencer: Sequencer },
    // Allure results of the suites, in reports/vitest/allure-results; `plumbline check` uses its own reporters.
    reporters: ['default', new SuitesAllureReporter()],
    projects: [
      suitesProject,
      {
        test: {
          name: 'tests',
          include: ['tests/**/*.test.ts'],
          // Below the time limit of a test, so that the condition is the error.
          expect: { requireAssertions: true, poll: { timeout: 50_000 } },
          // Three times the processors of a small machine: much of the time, tests wait.
          maxWorkers: 6,
          // A worker runs many files and loads each module once, so that tests restore what they change for all: the
          // catalogue, variables, clocks. Mocks of modules do not work.
          isolate: false,
          experimental: { viteModuleRunner: false, nodeLoader: false },
          // Compiled sources of the workers and of the processes that they start, as `plumbline` keeps them.
          env: {
            NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/plumbline', import.meta.url)),
          },
          // A machine that is busy takes long to start a process or a browser; most hooks do.
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
