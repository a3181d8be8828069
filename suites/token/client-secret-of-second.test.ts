import { secondExchangeWithFirstSecret, wrongCredentialsOfSecond } from './mistaken-exchanges.ts'
import { check } from './requirements.ts'

check(
  'TOKEN-CLIENT-SECRET',
  'a wrong secret of the second application is refused',
  wrongCredentialsOfSecond,
  async ({ secondClient, expect }) => {
    expect.sending(secondExchangeWithFirstSecret)
    expect.refused(await secondClient.withWrongSecret())
  },
)
