import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { Progress } from '../../src/run/progress.ts'
import { outcomes, requirements } from '../results/fixture/synthetic.ts'

test('a target that throttles is announced once, with the longest time that the run waits for it', () => {
  const [example] = outcomes
  if (!example) throw new Error('the synthetic run has no check')
  const stream = new PassThrough().setEncoding('utf8') as unknown as NodeJS.WriteStream & PassThrough
  const progress = new Progress(stream, requirements, { requestCap: 500, loginCap: 15 })
  const used = { requests: 1, logins: 0, throttled: 1 }
  progress.checkEnds(example, { ...used, throttled: 0 })
  for (const pace of [2.5, 1.25]) progress.checkEnds(example, { ...used, pace })
  expect(String(stream.read()).match(/the target throttles: .*/g)).toEqual([
    'the target throttles: Plumbline now sends at most 2.5 requests/s, and no more requests after waiting 15 min in total',
  ])
})
