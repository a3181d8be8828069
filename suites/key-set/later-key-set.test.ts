import { lookingBack } from '../../src/check/options.ts'
import { check } from './requirements.ts'

check(
  'KEYSET-HOLDS-SIGNER',
  'at the end of the run, the key set still contains the keys that signed the tokens',
  lookingBack,
  async ({ discovery, tokens, expect, inconclusive, note, basis }) => {
    const kids = new Set<string>()
    for (const { header } of [await tokens.jwt('idToken'), await tokens.jwt('accessToken')])
      if (typeof header.kid === 'string' && (await discovery.publishedWith(header.kid)) > 0)
        kids.add(header.kid)
    if (kids.size === 0) return inconclusive('the key set never contained the key of a token')
    const lacking = async () => {
      const published = new Set((await discovery.keysNow()).map(({ kid }) => kid))
      return [...kids].filter((kid) => !published.has(kid))
    }
    const missing = await lacking()
    // A key that is replaced does not return.
    const returned = missing.length > 0 && (await lacking()).length < missing.length
    expect.that(
      !returned,
      'the keys of the tokens in every response',
      'a key set without a key that earlier and later responses contain',
    )
    if (missing.length > 0) note('the key of a token was replaced during the run')
    basis({ keys: kids.size })
  },
)
