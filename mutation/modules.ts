/** Source files that are mutated together, and the test files that must kill the mutants. */
export interface MutationModule {
  readonly name: string
  readonly mutate: readonly string[]
  readonly tests: readonly string[]
}

/** Modules that decide verdicts, releases, limits or redaction, and whose tests take a few seconds. */
export const modules: readonly MutationModule[] = [
  {
    name: 'oauth/jwt',
    mutate: ['src/oauth/jwt.ts'],
    tests: ['tests/oauth/jwt.test.ts'],
  },
  {
    name: 'oauth/id-token',
    mutate: ['src/oauth/id-token.ts'],
    tests: ['tests/oauth/id-token.test.ts'],
  },
  {
    name: 'oauth/key-set',
    mutate: ['src/oauth/key-set.ts', 'src/oauth/challenge.ts'],
    tests: ['tests/oauth/key-set.test.ts', 'tests/oauth/challenge.test.ts'],
  },
  {
    name: 'http/retry-after',
    mutate: ['src/http/retry-after.ts'],
    tests: ['tests/http/retry-after.test.ts'],
  },
  {
    name: 'http/retry',
    mutate: ['src/http/retry.ts', 'src/http/response.ts', 'src/http/failures.ts'],
    tests: ['tests/http/retry.test.ts', 'tests/http/failures.test.ts'],
  },
  {
    name: 'event-hub/window',
    mutate: ['src/event-hub/window.ts'],
    tests: ['tests/event-hub/window.test.ts'],
  },
  {
    name: 'random',
    mutate: ['src/random.ts'],
    tests: ['tests/random.test.ts'],
  },
  {
    name: 'event-hub/page',
    mutate: ['src/event-hub/page.ts', 'src/event-hub/paging.ts'],
    tests: ['tests/event-hub/page.test.ts', 'tests/event-hub/paging.test.ts'],
  },
  {
    name: 'event-hub/time',
    mutate: ['src/event-hub/local-time.ts', 'src/event-hub/clock-changes.ts'],
    tests: ['tests/event-hub/local-time.test.ts', 'tests/event-hub/clock-changes.test.ts'],
  },
  {
    name: 'check/events',
    mutate: ['answered-search', 'edges', 'split'].map((file) => `src/check/events/${file}.ts`),
    tests: ['answered-search', 'edges', 'split'].map((file) => `tests/check/events/${file}.test.ts`),
  },
  {
    name: 'evidence/vault',
    mutate: ['src/evidence/vault.ts', 'src/evidence/shape.ts', 'src/evidence/words.ts'],
    tests: ['tests/evidence/vault.test.ts', 'tests/evidence/shape.test.ts'],
  },
  {
    name: 'evidence/allow-list',
    mutate: ['src/evidence/allow-list.ts'],
    tests: ['tests/evidence/allow-list.test.ts'],
  },
  {
    name: 'release',
    mutate: ['decide', 'findings', 'policy', 'reasons', 'requirement-findings', 'settled', 'waivers'].map(
      (file) => `src/release/${file}.ts`,
    ),
    tests: [
      'decision',
      'decision-coverage',
      'decision-findings',
      'decision-properties',
      'decision-reasons',
      'policy-and-waiver-files',
      'earlier-violations',
      'unsuitable-runs',
      'waiver-findings',
      'waivers',
    ].map((file) => `tests/release/${file}.test.ts`),
  },
  {
    name: 'check/execute',
    mutate: ['src/check/execute.ts'],
    tests: ['execute', 'host-refusal', 'result', 'result-secrets', 'shared-values'].map(
      (file) => `tests/check/${file}.test.ts`,
    ),
  },
  {
    name: 'check/verdict',
    mutate: ['src/check/verdict.ts', 'src/check/retry-after-failure.ts', 'src/check/applicability.ts'],
    tests: [
      'tests/check/applicability.test.ts',
      'tests/check/verdict.test.ts',
      'tests/check/retry-after-failure.test.ts',
    ],
  },
  {
    name: 'check/exchanges-of-one-code',
    mutate: ['src/check/tokens/exchanges-of-one-code.ts'],
    tests: ['tests/check/tokens/exchanges-of-one-code.test.ts'],
  },
  {
    name: 'check/valid-requests',
    mutate: ['src/check/valid-requests.ts', 'src/check/tokens/refused-client.ts'],
    tests: ['tests/check/valid-requests.test.ts', 'tests/check/tokens/refused-client.test.ts'],
  },
  {
    name: 'results',
    mutate: ['applicable', 'dependencies', 'not-checked', 'earlier-violations'].map(
      (file) => `src/results/${file}.ts`,
    ),
    tests: [
      'applicable',
      'dependencies',
      'follows-from',
      'not-checked',
      'root-cause',
      'earlier-violations',
    ].map((file) => `tests/results/${file}.test.ts`),
  },
  {
    name: 'results/earlier-verdicts',
    mutate: ['src/results/earlier-verdicts.ts'],
    tests: [
      'tests/compare/drift-bases.test.ts',
      'tests/results/last-verdicts.test.ts',
      'tests/results/earlier-violations.test.ts',
    ],
  },
  {
    name: 'limiter/interval',
    mutate: ['load/limiter/interval.ts'],
    tests: ['tests/load/interval.test.ts'],
  },
  {
    name: 'limiter/models',
    mutate: ['fixed-window', 'sliding-counter', 'sliding-log', 'token-bucket'].map(
      (model) => `load/limiter/models/${model}.ts`,
    ),
    tests: [
      'tests/load/limiter-fits.test.ts',
      'tests/load/limiter-models.test.ts',
      'tests/load/limiter-units.test.ts',
    ],
  },
  {
    name: 'http/budget',
    mutate: ['src/http/budget.ts', 'src/http/pace.ts', 'src/http/endpoint-circuit.ts'],
    tests: ['budget', 'throttled-budget', 'throttled-waits', 'pace', 'endpoint-failures'].map(
      (file) => `tests/http/${file}.test.ts`,
    ),
  },
  {
    name: 'run/exit-code',
    mutate: ['src/run/exit-code.ts'],
    tests: ['tests/run/exit-code.test.ts'],
  },
  {
    name: 'check/expect',
    mutate: ['src/check/expect.ts', 'src/check/first-finding.ts'],
    tests: ['tests/check/expect.test.ts', 'tests/check/first-finding.test.ts'],
  },
  {
    name: 'check/refused',
    mutate: ['src/check/authorization/refused-by-configuration.ts'],
    tests: ['refused-by-configuration', 'further-requests'].map(
      (file) => `tests/check/authorization/${file}.test.ts`,
    ),
  },
  {
    name: 'check/landing',
    mutate: [
      'src/check/authorization/landing-content.ts',
      'src/check/authorization/landing-expectations.ts',
      'src/check/authorization/landing-text.ts',
      'src/check/authorization/long-state.ts',
      'src/browser/landing.ts',
    ],
    tests: [
      'tests/check/authorization/landing.test.ts',
      'tests/check/authorization/landing-refusals.test.ts',
      'tests/check/authorization/long-state.test.ts',
      'tests/check/retry-after-failure.test.ts',
      'tests/browser/landing.test.ts',
    ],
  },
  {
    name: 'browser/requests',
    mutate: ['src/browser/request-policy.ts'],
    tests: ['tests/browser/request-policy.test.ts'],
  },
  {
    name: 'compare',
    mutate: ['src/compare/compare.ts', 'src/compare/drift.ts'],
    tests: ['compare', 'differences', 'drift', 'drift-bases', 'observations', 'sentences'].map(
      (file) => `tests/compare/${file}.test.ts`,
    ),
  },
  {
    name: 'limiter/conclusion',
    mutate: ['elimination', 'not-identified', 'reasons'].map((file) => `load/limiter/${file}.ts`),
    tests: ['not-identified', 'conclusion-rules', 'conclusion-retry-after', 'limiter-units'].map(
      (file) => `tests/load/${file}.test.ts`,
    ),
  },
  {
    name: 'limiter/window-proof',
    mutate: ['load/limiter/window-proof.ts', 'load/limiter/refusal-runs.ts'],
    tests: ['tests/load/window-proof.test.ts', 'tests/load/refusal-runs.test.ts'],
  },
  {
    name: 'limiter/candidates',
    mutate: ['load/limiter/candidates.ts'],
    tests: ['tests/load/candidates.test.ts'],
  },
]
