import { formatLocal } from '../../src/event-hub/local-time.ts'
import { monthEnd } from '../../src/event-hub/window.ts'
import { check } from './requirements.ts'

for (const name of ['from', 'to'] as const) {
  check('EVENT-TIME-Z-REJECTED', `a ${name} that ends with Z is rejected`, async ({ events }) => {
    const window = await events.controlWindow()
    await events.rejects({ [name]: `${formatLocal(window[name])}Z` }, 400)
  })

  for (const [offset, side] of [
    ['+02:00', 'east'],
    ['-02:00', 'west'],
  ] as const) {
    check(
      'EVENT-TIME-OFFSET-REJECTED',
      `a ${name} with an offset ${side} of UTC is rejected`,
      async ({ events }) => {
        const window = await events.controlWindow()
        await events.rejects({ [name]: formatLocal(window[name]) + offset }, 400)
      },
    )
  }

  check('EVENT-TIME-INVALID', `a ${name} that is no date-time is rejected`, async ({ events }) => {
    await events.rejects({ [name]: 'yesterday' }, 400)
  })
}

check('EVENT-TIME-INVALID', 'a date that does not exist is rejected', async ({ events }) => {
  const { window, impossible } = monthEnd(await events.controlWindow())
  await events.controlOf(window)
  await events.rejects({ from: window.from, to: impossible }, 400)
})
