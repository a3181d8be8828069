import { expect, test } from 'vitest'
import { ExperimentRecord } from '../../load/limiter/experiment-record.ts'
import { admitted, observed } from './scripted-experiment.ts'

const earlier = [observed('unknown', -500)]
const first = [...admitted(0, 20), observed('throttled', 40)]
const later = [...admitted(1000), observed('throttled', 1020, 2000)]

function recordOf(): ExperimentRecord {
  const record = new ExperimentRecord(earlier, 0)
  record.add(...first)
  return record
}

test('all views have the requests sent, and those that models explain also the earlier ones', () => {
  const record = recordOf()
  expect(record.sent).toEqual(first)
  expect(record.current).toEqual([...earlier, ...first])
  expect(record.kept).toEqual([...earlier, ...first])
})

test('one limiter without other traffic need not explain the responses before a restart, other models must', () => {
  const record = recordOf()
  record.discardCurrent()
  expect([record.last, record.hasRetryAfter, record.throttledMs]).toEqual([undefined, false, 0])
  record.add(...later)
  expect(record.current).toEqual(later)
  expect(record.kept).toEqual([...earlier, ...first, ...later])
  expect(record.sent).toEqual([...first, ...later])
})

test('no model has to explain the responses before a restart of a limiter that was not fresh', () => {
  const record = recordOf()
  record.discardAll()
  record.add(...later)
  expect([record.current, record.kept]).toEqual([later, later])
  expect(record.sent).toEqual([...first, ...later])
  expect([record.hasRetryAfter, record.throttledMs]).toEqual([true, 2000])
})

test('refusals that are set aside are of unknown outcome in every view, until a restart', () => {
  const record = recordOf()
  record.add(observed('throttled', 60, 1000))
  record.setRefusalsAside()
  expect(record.setAside).toEqual([{ admitted: 2, elapsedMs: 40, refusedMs: 1020 }])
  for (const view of [record.sent, record.current, record.kept])
    expect(view.slice(-3)).toEqual([
      observed('admitted', 20),
      observed('unknown', 40),
      observed('unknown', 60),
    ])
  record.discardCurrent()
  expect(record.setAside).toEqual([])
})
