import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import { formatLocal, wallClockMs, wholeSeconds } from '../../src/event-hub/local-time.ts'
import { defaultPaging } from '../../src/event-hub/page.ts'
import { type EventWindow, monthEnd } from '../../src/event-hub/window.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { check } from './requirements.ts'

/** Offsets to append to one of the two times, while the other has none. */
const offsets = {
  from: [
    ['+02:00', 'an offset east of UTC'],
    ['-03:30', 'a half-hour offset west of UTC'],
    ['+0545', 'an offset without a colon'],
  ],
  to: [
    ['-02:00', 'an offset west of UTC'],
    ['+00:00', 'an offset of zero'],
    ['+02', 'an offset in hours'],
  ],
} as const

/**
 * Suffixes to append to a time without a fraction, because some parsers accept an offset only after whole seconds.
 */
const afterSeconds: ReadonlySet<string> = new Set(['+00:00'])

/** Suffixes to send in searches for a later page: a hub may check the times only for the first page. */
const onLaterPage: Readonly<Record<'from' | 'to', readonly string[]>> = {
  from: ['+0545'],
  to: ['Z', '-02:00'],
}

const required = { from: 'EVENT-FROM-REQUIRED', to: 'EVENT-TO-REQUIRED' } as const

/** The response to the control with a `from` or `to` that is not a date-time. */
async function responseToInvalidTime(
  { events, once }: CheckContext,
  name: 'from' | 'to',
): Promise<HttpResponse> {
  const { from } = events.openEnd()
  // A hub that ignores the text after the date-time in `to` finds a valid window of one hour.
  const invalidTime =
    name === 'from'
      ? { from: await epochOf(events) }
      : { from, to: `${formatLocal(from.add({ hours: 1 }))}plumbline` }
  const control = { ...(await events.controlWindow()), ...defaultPaging }
  return once([responseToInvalidTime, name], () => events.hub.search({ ...control, ...invalidTime }))
}

/** The `from` of the control as a number of milliseconds since 1970, a form that some parsers accept. */
async function epochOf(events: CheckContext['events']): Promise<string> {
  return String(wallClockMs(formatLocal((await events.controlWindow()).from)))
}

/** Expects a time with a suffix to be refused. @throws {Inconclusive} if the hub accepts any text as a time */
async function expectSuffixRefused(
  context: CheckContext,
  name: 'from' | 'to',
  suffix: string,
): Promise<void> {
  const { events } = context
  const window = await events.controlWindow()
  const later = onLaterPage[name].includes(suffix) ? await events.laterPage() : {}
  const format = afterSeconds.has(suffix) ? wholeSeconds : formatLocal
  const response = await events.sendSearch({ [name]: format(window[name]) + suffix, ...later })
  if (events.acceptsOrDiscloses(response)) await requireTimesRead(context, name)
  events.expectRefusal(response, 400)
}

/** Requires that the hub parses `from` or `to`. @throws {Inconclusive} if the hub accepts any text in its place */
async function requireTimesRead(context: CheckContext, ...names: readonly ('from' | 'to')[]): Promise<void> {
  for (const name of names)
    if (context.events.acceptsOrDiscloses(await responseToInvalidTime(context, name)))
      return inconclusive(`a ${name} that is not a date-time is accepted`, ['EVENT-TIME-INVALID'])
}

for (const name of ['from', 'to'] as const) {
  check('EVENT-TIME-Z-REJECTED', `a \`${name}\` with a trailing Z is refused`, (context) =>
    expectSuffixRefused(context, name, 'Z'),
  )

  for (const [offset, how] of offsets[name]) {
    check('EVENT-TIME-OFFSET-REJECTED', `a \`${name}\` with ${how} is refused`, (context) =>
      expectSuffixRefused(context, name, offset),
    )
  }

  check('EVENT-TIME-INVALID', `a \`${name}\` that is not a date-time is refused`, async (context) => {
    const { events, expect } = context
    await events.control()
    const response = await responseToInvalidTime(context, name)
    expect.describeRequest(
      `an otherwise valid search with ${name}=${name === 'from' ? 'the number of milliseconds since 1970' : 'a date-time and `plumbline` after it'}`,
    )
    events.expectRefusal(response, 400)
  })

  check('EVENT-TIME-INVALID', `an empty \`${name}\` is refused`, async ({ events }) => {
    const open = name === 'to' ? await events.laterPageOfOpenEnd() : {}
    const response = await events.sendSearch({ [name]: '', ...open })
    if (events.acceptsOrDiscloses(response) && events.acceptsOrDiscloses(await events.responseWithout(name)))
      return inconclusive(`an absent ${name} is accepted as well`, [required[name]])
    events.stateSearch(`with an empty ${name}`)
    events.expectRefusal(response, 400)
  })

  check('EVENT-TIME-INVALID', `a \`${name}\` that is a date alone is refused`, async ({ events }) => {
    const midnight = (await events.controlWindow()).from.toPlainDate().toPlainDateTime()
    // If the date means midnight, only its form is wrong: the window has 12 hours.
    const window = { from: midnight.subtract({ hours: 12 }), to: midnight.add({ hours: 12 }) }
    await events.expectInvalid({ ...window, [name]: formatLocal(midnight).slice(0, 10) })
  })
}

// These searches omit the optional `page` and `pageSize`. Some parsers accept Z only after whole seconds, so the
// times with Z have no fraction.
for (const [id, suffix, format, how] of [
  ['EVENT-TIME-Z-REJECTED', 'Z', wholeSeconds, 'a trailing Z in both'],
  ['EVENT-TIME-OFFSET-REJECTED', '+05:30', formatLocal, 'the same offset'],
] as const) {
  check(id, `\`from\` and \`to\` with ${how} are refused`, async (context) => {
    const { events } = context
    const { from, to } = await events.controlWindow()
    const response = await events.sendSearch({
      from: format(from) + suffix,
      to: format(to) + suffix,
      page: null,
      pageSize: null,
    })
    if (events.acceptsOrDiscloses(response)) await requireTimesRead(context, 'from', 'to')
    events.expectRefusal(response, 400)
  })
}

for (const [id, what, key, boundsOf] of [
  [
    'EVENT-TIME-IMPOSSIBLE',
    'a `to` on a day that does not exist',
    'impossible-date',
    (control: EventWindow) => {
      const { window, impossible } = monthEnd(control)
      return { from: window.from, to: impossible }
    },
  ],
  [
    'EVENT-TIME-FORMS',
    'a `from` without a fraction and a `to` without seconds',
    'time-forms.short',
    ({ from, to }: EventWindow) => ({
      from: formatLocal(from).slice(0, 19),
      to: formatLocal(to).slice(0, 16),
    }),
  ],
  [
    'EVENT-TIME-FORMS',
    'a `from` with a lower-case z and a `to` with a space in place of T',
    'time-forms.other',
    ({ from, to }: EventWindow) => ({
      from: `${formatLocal(from)}z`,
      to: formatLocal(to).replace('T', ' '),
    }),
  ],
] as const) {
  check(id, `the response to ${what} is recorded`, async ({ events, observe }) => {
    const { status } = await events.sendSearch(boundsOf(await events.controlWindow()))
    observe(`events.${key}.status`, status)
  })
}
