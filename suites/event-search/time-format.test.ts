import { formatLocal } from '../../src/event-hub/local-time.ts'
import { monthEnd } from '../../src/event-hub/window.ts'
import { check } from './requirements.ts'

for (const name of ['from', 'to'] as const) {
  check('EVENT-TIME-Z-REJECTED', `a ${name} with a trailing Z is rejected`, async ({ events }) => {
    const window = await events.controlWindow()
    await events.rejects({ [name]: `${formatLocal(window[name])}Z` }, 400)
  })

  for (const [offset, how] of [
    ['+02:00', 'an offset east of UTC'],
    ['-02:00', 'an offset west of UTC'],
    ['+00:00', 'an offset of zero'],
    ['+0200', 'an offset without a colon'],
    ['+02', 'an offset in hours'],
  ] as const) {
    check('EVENT-TIME-OFFSET-REJECTED', `a ${name} with ${how} is rejected`, async ({ events }) => {
      const window = await events.controlWindow()
      await events.rejects({ [name]: formatLocal(window[name]) + offset }, 400)
    })
  }

  check('EVENT-TIME-INVALID', `a ${name} that is not a date-time is rejected`, async ({ events }) => {
    await events.rejects({ [name]: 'yesterday' }, 400)
  })
}

for (const name of ['from', 'to'] as const) {
  check('EVENT-TIME-IMPOSSIBLE', `a ${name} on a day that does not exist`, async ({ events, observe }) => {
    const { window, impossible } = monthEnd(await events.controlWindow())
    const { status } = await events.answer({ ...window, [name]: impossible[name] })
    observe(`events.impossible-date.${name}.status`, status)
  })
}

for (const [key, how, written] of [
  ['small-z', 'a from with a lower-case z', (text: string) => `${text}z`],
  ['without-fraction', 'a from without a fraction', (text: string) => text.slice(0, 19)],
  ['without-seconds', 'a from without seconds', (text: string) => text.slice(0, 16)],
] as const) {
  check('EVENT-TIME-FORMS', how, async ({ events, observe }) => {
    const { from } = await events.controlWindow()
    const { status } = await events.answer({ from: written(formatLocal(from)) })
    observe(`events.time-forms.${key}.status`, status)
  })
}
