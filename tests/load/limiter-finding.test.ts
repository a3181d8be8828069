import { expect, test } from 'vitest'
import { expiringCounter } from '../../bench/limiter/virtual-limiters.ts'
import { runVirtually } from './virtual-probes.ts'

test('after another probe, the finding of a limiter that is not identified consists of whole sentences', async () => {
  const [, found] = await runVirtually(['recovery', 'limiter'], expiringCounter(12, 5000), { maxSeconds: 18 })
  expect(found?.headline).toBe('limiter not identified')
  expect(found?.finding).toBe(
    [
      'not identified: the budget ran out with 4 kinds left (fixed window of 10 to 11 in at least 2.1 s, sliding window log of 10 to 11 in 2.1 to 5.1 s, token bucket of 10 to 11 in 20.3 to 56.1 s, sliding window counter of 10 to 11 in at least 2.1 s); the next request would have had to wait 3 s.',
      '11 requests in a row were admitted before the first refusal.',
      'The limiter was in an unknown state at the start, since requests of earlier probes may count.',
      'About 50 requests and 180 s would probably decide: LOAD_MAX_REQUESTS=5000 LOAD_MAX_SECONDS=180 npx plumbline probe --probe limiter, with the same --endpoint.',
    ].join(' '),
  )
})
