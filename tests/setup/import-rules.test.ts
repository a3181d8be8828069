import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importRules, rows } from '../../scripts/import-rules.ts'

const repository = path.resolve(import.meta.dirname, '..', '..')

const OUTSIDE_SRC: [from: string, imported: string, allowed: boolean][] = [
  ['provider/index.ts', '../src/http/http.ts', false],
  ['provider/faults/one.ts', '../../src/target/config.ts', false],
  ['provider/hub/hub.ts', '../../suites/events/requirements.ts', false],
  ['provider/hub/hub.ts', '../server.ts', true],
  ['provider/index.ts', 'oidc-provider', true],
  ['src/cli/provider.ts', '../../provider/index.ts', false],
  ['src/oauth/pkce.ts', 'oidc-provider', false],
  ['src/oauth/pkce.ts', 'node:crypto', true],
  ['src/http/http.ts', 'undici', true],
  ['src/check/check.ts', '../../proof/main.ts', false],
  ['src/event-hub/search.ts', '../../suites/events/requirements.ts', false],
  ['src/http/http.ts', '../../load/pacing.ts', false],
  ['src/run/run-checks.ts', '../../load/pacing.ts', false],
  ['src/cli/load/artillery.ts', '../../../load/plan.ts', true],
  ['src/cli/list.ts', '../../suites/events/requirements.ts', true],
  ['suites/token/exchange.test.ts', '../../src/check/check.ts', true],
  ['suites/token/exchange.test.ts', './requirements.ts', true],
  ['suites/token/exchange.test.ts', '../authorization/requirements.ts', true],
  ['suites/token/exchange.test.ts', '../../provider/index.ts', false],
  ['suites/token/exchange.test.ts', '../../load/pacing.ts', false],
  ['suites/token/exchange.test.ts', '../../tests/provider/client.ts', false],
  ['load/limit.ts', '../src/http/http.ts', true],
  ['load/limit.ts', '../src/cli/gate.ts', false],
  ['load/limit.ts', '../suites/token/requirements.ts', false],
  ['load/limit.ts', '../provider/index.ts', false],
  ['proof/main.ts', '../provider/index.ts', true],
  ['proof/main.ts', '../src/results/results.ts', true],
  ['lawful/run.ts', '../src/run/direct-run.ts', true],
  ['lawful/run.ts', '../provider/index.ts', false],
  ['lawful/implementations/one.ts', 'oidc-provider', true],
  ['src/run/direct-run.ts', '../../lawful/run.ts', false],
  ['provider/index.ts', '../lawful/run.ts', false],
]

const BETWEEN_ROOMS = rows.flatMap((row, height) =>
  row.flatMap((folder) =>
    rows.flatMap((otherRow, otherHeight) =>
      otherRow
        .filter((other) => other !== folder)
        .map((other): [string, string, boolean] => [
          `src/${folder}/file.ts`,
          `../${other}/file.ts`,
          otherHeight <= height,
        ]),
    ),
  ),
)

const CASES = [...OUTSIDE_SRC, ...BETWEEN_ROOMS]
const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-import-rules-'))
const refused = new Set<number>()

beforeAll(() => {
  for (const name of ['biome.json', 'biome.import-rules.json']) {
    cpSync(path.join(repository, name), path.join(folder, name))
  }
  // A file for each case, in the folder of its importer: Biome checks all of them at once.
  CASES.forEach(([from, imported], index) => {
    const file = path.join(folder, caseFile(from, index))
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, `import '${imported}'\n`)
  })
  const { stdout } = spawnSync(
    path.join(repository, 'node_modules', '.bin', 'biome'),
    [
      'lint',
      '--vcs-enabled=false',
      '--only=style/noRestrictedImports',
      '--reporter=json',
      '--max-diagnostics=none',
    ],
    { cwd: folder, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
  )
  for (const diagnostic of JSON.parse(stdout).diagnostics) {
    const index = /case-(\d+)\.ts/.exec(JSON.stringify(diagnostic.location))?.[1]
    if (diagnostic.category === 'lint/style/noRestrictedImports') refused.add(Number(index))
  }
}, 60_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(CASES.map(([from, imported, allowed], index) => ({ from, imported, allowed, index })))(
  '$from imports $imported: allowed $allowed',
  ({ allowed, index }) => {
    expect(refused.has(index)).toBe(!allowed)
  },
)

test('biome.import-rules.json matches scripts/import-rules.ts', () => {
  const written = JSON.parse(readFileSync(path.join(repository, 'biome.import-rules.json'), 'utf8'))
  expect(written).toEqual(importRules())
})

function caseFile(from: string, index: number): string {
  return path.join(path.dirname(from), `case-${index}.ts`)
}
