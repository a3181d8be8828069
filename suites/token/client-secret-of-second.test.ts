import { ofSecondSending, probingSecond } from './mistaken-exchanges.ts'
import { check } from './requirements.ts'

check(
  'TOKEN-CLIENT-SECRET',
  'a wrong secret of the second application is refused',
  probingSecond,
  async ({ secondApplication, expect }) => {
    expect.sending(ofSecondSending)
    expect.refused(await secondApplication.withWrongSecret())
  },
)
