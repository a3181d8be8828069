import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Subject } from '../../siege/subject.ts'
import { surroundings } from '../../siege/surroundings.ts'
import { targets } from '../../siege/targets.ts'

// Targets that misbehave, for whole runs of the command. `npm run siege` tries each endpoint with each misbehaviour.

describe.each<readonly [string, () => Promise<Subject>, readonly string[]]>([
  [
    'a broken endpoint',
    targets,
    [
      'discovery sends 500 with the error of throttling',
      'key set resets the connection',
      'event search sends 503 once',
      'token sends HTML',
      'authorization resets the connection in the body',
    ],
  ],
  [
    'surroundings that change',
    surroundings,
    ['an expired certificate', 'a host that is gone during a run', 'a browser that is killed in mid-login'],
  ],
])('%s', (_, prepare, sample) => {
  let subject: Subject
  beforeAll(async () => {
    subject = await prepare()
  })
  afterAll(() => subject?.close())

  test.each(sample)('%s', { timeout: 120_000 }, async (name) => {
    const outcome = await subject.attempts.get(name)?.()
    expect(outcome).toMatchObject({ held: true })
  })
})
