import { afterAllChecks } from '../../src/check/check-options.ts'
import { changedIds } from '../../src/check/events/agreement.ts'
import { pagesToJudge } from '../../src/check/events/answered-search.ts'
import { changeType } from '../../src/check/events/claim-change.ts'
import { contentsById } from '../../src/check/events/reading.ts'
import { shortageIn, tooFewEvents } from '../../src/check/events/shortage.ts'
import { inconclusive, notApplicable, requireData } from '../../src/check/verdict.ts'
import { namesAmong } from '../../src/event-hub/event.ts'
import { isWithin } from '../../src/event-hub/window.ts'
import { counted } from '../../src/text/format.ts'
import { check } from './requirements.ts'

for (const [id, member, name, expected] of [
  ['EVENT-ID', 'id', 'the `id`', 'a non-empty string'],
  ['EVENT-TYPE', 'type', 'the type', 'a non-empty string'],
  ['EVENT-VERSION', 'version', 'the version', 'a non-empty string'],
  ['EVENT-PAYLOAD', 'payload', 'the payload', 'an object'],
] as const) {
  check(id, `${name} of every event is ${expected}`, afterAllChecks, async ({ readings }) => {
    readings.expectWellFormed(member, await readings.someEvents(), expected)
  })
}

check(
  'EVENT-CONTEXT',
  'members of the context, if present, are strings',
  afterAllChecks,
  async ({ readings, basis, note }) => {
    const all = await readings.someEvents()
    let memberCount = 0
    for (const name of ['sphere', 'subscriber', 'application', 'subscription']) {
      readings.expectWellFormed(name, all, 'a string, if present')
      const values = all.flatMap(({ members }) => (name in members ? [members[name]] : []))
      if (values.includes(null)) note(`${name} is null in some events`)
      memberCount += values.length
    }
    if (memberCount === 0)
      return notApplicable(
        'no event has an optional member (sphere, subscriber, application, subscription)',
        'target',
      )
    basis({ members: memberCount })
  },
)

check(
  'EVENT-TIMESTAMP',
  'the timestamp of every event is a local date-time with milliseconds',
  afterAllChecks,
  async ({ readings, expect, note }) => {
    const all = await readings.someEvents()
    readings.expectWellFormed('timestamp', all, 'a local date-time with seconds and without a zone')
    const impossible = all.filter(({ time }) => !time).length
    expect.that(
      impossible === 0,
      'a time that exists',
      `a different value in ${impossible} of ${all.length} events`,
    )
    const digits = all.map(({ time }) => time?.fractionDigits ?? 0)
    const maxDigits = Math.max(...digits)
    // The times of a few events may all be full seconds, or may be written without final zeros.
    if (maxDigits < 3)
      requireData(all.length, 5, 'events to decide whether timestamps have milliseconds', tooFewEvents)
    expect.that(
      maxDigits >= 3,
      'milliseconds',
      `at most ${counted(maxDigits, 'fractional digit')} in ${counted(all.length, 'event')}`,
    )
    if (digits.includes(0)) note('some events have no fraction of a second')
    if (digits.some((count) => count !== 0 && count !== 3)) note('some fractions do not have three digits')
  },
)

check(
  'EVENT-ID-UNIQUE',
  'no two events with different content have the same id',
  afterAllChecks,
  async ({ readings, rereadings, expect, basis, note }) => {
    const all = await readings.someEvents()
    const { paged } = await rereadings.pageThrough()
    const { ids, conflicting } = contentsById([...all, ...paged.events])
    if (ids === 0) return inconclusive('no event has an id', ['EVENT-ID'])
    basis({ events: all.length + paged.events.length })
    expect.that(
      conflicting === 0,
      'one content for each id',
      `several contents for ${conflicting} of ${ids} ids`,
    )
    const { repeated } = contentsById((await readings.allEvents()).events)
    if (repeated > 0) note(`one search returned ${counted(repeated, 'event')} more than once`)
  },
)

check(
  'EVENT-ID-STABLE',
  'searches of one window return the same ids',
  afterAllChecks,
  async ({ run, readings, rereadings, expect, basis }) => {
    const all = await readings.allEvents()
    requireData(all.events.length, 1, 'event', shortageIn(all))
    const { whole, paged } = await rereadings.pageThrough()
    const others = [whole, paged, await rereadings.allEventsBackwards(), ...(await rereadings.randomParts())]
    // Pages of other searches within the same window.
    const pages = pagesToJudge(run.searchLog.searches).filter(
      ({ requested }) => requested && isWithin(requested, all.window),
    )
    const returned = [...others, ...pages].map(({ events }) => events)
    basis({ 'returned events, repeated ones included': [all.events, ...returned].flat().length })
    expect.describeRequest('two searches of one window')
    const changed = returned.map((events) => changedIds(all.events, events)).find((count) => count > 0) ?? 0
    expect.that(
      changed === 0,
      'the same id for each event in both searches',
      `a different id for ${counted(changed, 'event')}`,
    )
  },
)

check(
  'EVENT-TYPES-SEEN',
  'the types of events are recorded',
  afterAllChecks,
  async ({ readings, observe, note }) => {
    const all = await readings.someEvents()
    const types = namesAmong(all.map(({ members }) => members.type))
    observe('events.types', types)
    for (const type of types.filter((name) => name !== changeType))
      note(`drift: events of the type ${type}; only ${changeType} is documented as emitted`)
  },
)

check(
  'EVENT-VERSIONS-SEEN',
  'the versions of events are recorded',
  afterAllChecks,
  async ({ readings, observe }) => {
    const all = await readings.someEvents()
    observe('events.versions', namesAmong(all.map(({ members: { type, version } }) => `${type} ${version}`)))
  },
)
