import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'

const faults = [
  'introspection-not-advertised',
  'introspection-scope-null',
  'key-set-names-ps256',
  'userinfo-refusal-with-claims',
  'webhook-created-though-refused',
  'page-items-by-id',
  'from-optional',
  'id-token-expires-at-once',
  'pkce-optional',
  'token-type-jwt',
]
const variants = [
  'userinfo-subject-only',
  'introspection-redirected-to-page',
  'webhook-list-in-items',
  'two-signing-keys',
  'page-size-capped-at-100',
  'small-z-accepted',
  'access-token-typ-jwt',
  'silent-interaction-required',
  'refresh-ends-access-token',
  'token-refusals-broken',
]

const names = ['clean', ...faults, ...variants]
const outcomes = new Map<string, { readonly vitest: readonly string[]; readonly direct: readonly string[] }>()

beforeAll(async () => {
  const half = Math.ceil(names.length / 2)
  await Promise.all([outcomesOf(names.slice(0, half)), outcomesOf(names.slice(half))])
}, 600_000)

/** Executes cases with both runners in a separate process: an inner Vitest must not detect the outer one. */
async function outcomesOf(cases: readonly string[]): Promise<void> {
  const script = join(import.meta.dirname, 'fixture', 'both-runners.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...cases], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    },
    maxBuffer: 64 * 1024 * 1024,
  })
  for (const line of stdout.trim().split('\n')) {
    const { name, ...both } = JSON.parse(line)
    outcomes.set(name, both)
  }
}

describe('Vitest with a browser returns the same results as the direct runner of the proof', () => {
  test.each(names)('%s', (name) => {
    const { vitest, direct } = outcomes.get(name) ?? { vitest: [], direct: [] }
    expect(direct.length).toBeGreaterThan(3)
    expect(direct).toEqual(vitest)
  })
})
