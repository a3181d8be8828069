import { ofSecondSending, probingSecond } from './mistaken-exchanges.ts'
import { check } from './requirements.ts'

check(
  'TOKEN-CLIENT-SECRET',
  'a wrong secret of the second application is refused',
  probingSecond,
  async ({ secondClient, expect }) => {
    expect.sending(ofSecondSending)
    expect.refused(await secondClient.withWrongSecret())
  },
)
