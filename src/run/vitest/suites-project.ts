import type { TestProjectInlineConfiguration } from 'vitest/config'

/** The project `suites` of Vitest, for vitest.config.ts and for the command. */
export const suitesProject = {
  test: {
    name: 'suites',
    include: ['suites/**/*.test.ts'],
    runner: 'src/run/vitest/runner.ts',
    globalSetup: ['src/run/vitest/global-setup.ts'],
    // One worker for all suites, so that they share session, tokens, keys and controls. Several workers would not be
    // faster: they would share the limits of one client, user and address.
    isolate: false,
    maxWorkers: 1,
    fileParallelism: false,
    sequence: { groupOrder: 1 },
    // Node runs the sources as they are.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
} satisfies TestProjectInlineConfiguration
