import { describe, expect, test } from 'vitest'
import type { Model } from '../../load/limiter/models/model.ts'
import { slidingLog } from '../../load/limiter/models/sliding-log.ts'
import { candidate, concluded, logCandidate } from './fake-candidates.ts'
import { admitted, observed } from './scripted-experiment.ts'

describe('Retry-After', () => {
  const counting = candidate(slidingLog(true), 3, 980, 1020)
  const first = [...admitted(0, 600, 620), observed('throttled', 640, 500)]
  const again = (...rest: Parameters<typeof observed>[]) => [...first, ...rest.map((one) => observed(...one))]
  const explainsAll = { explainedBy: () => 100 }

  test('that is constant may be restarted by each request, if only that explains the responses', async () => {
    expect(await concluded([counting], {}, first)).toBe('renewed')
    expect(
      await concluded([counting], explainsAll, again(['admitted', 1700], ['throttled', 1720, 600])),
    ).toMatchObject({
      variant: 'counts-refused',
    })
    expect(await concluded([counting, logCandidate], {}, first)).toMatchObject({ kind: 'sliding-log' })
    expect(await concluded([logCandidate], {}, first)).toMatchObject({ kind: 'sliding-log' })
  })

  test('that varies is contradicted by a refusal after it has elapsed', async () => {
    const refused = again(['throttled', 1200, 600])
    expect(await concluded([logCandidate], explainsAll, refused)).toBe('retry-after')
    const once = again(['admitted', 1200], ['throttled', 1220, 600], ['throttled', 1900, 500])
    expect(await concluded([logCandidate], explainsAll, once)).toBe('retry-after')
    const constant = again(['throttled', 1200, 500])
    expect(await concluded([logCandidate], explainsAll, constant)).toMatchObject({ kind: 'sliding-log' })
  })

  test('that varies is contradicted where no candidate explains what it states', async () => {
    const admittedLater = again(['admitted', 1200], ['throttled', 1220, 600])
    const explaining = (count: number) =>
      concluded([logCandidate], { explainedBy: () => count }, admittedLater)
    expect(await explaining(5)).toBe('retry-after')
    expect(await explaining(6)).toMatchObject({ kind: 'sliding-log' })
    const explainedBy = ({ variant }: Model) => (variant === undefined ? 5 : 6)
    expect(await concluded([logCandidate, counting], { explainedBy }, admittedLater)).toMatchObject({
      kind: 'sliding-log',
    })
  })
})
