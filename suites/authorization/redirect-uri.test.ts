import { codeOf, describeLanding } from '../../src/check/landing.ts'
import { alteredRedirectUris } from '../../src/oauth/redirect-uri.ts'
import { check } from './requirements.ts'

check(
  'AUTHZ-REDIRECT-URI-EXACT',
  'no altered redirect URI receives a code',
  { effects: ['login'], needs: ['user'] },
  async ({ identity, expect, target, note, basis }) => {
    const altered = alteredRedirectUris(target.application.redirectUri)
    for (const [what, uri] of altered) {
      expect.sending(`a good request whose redirect URI has another ${what}`)
      const { landing } = await identity.authorize('signed-in', { redirect_uri: uri })
      expect.that(
        codeOf(landing) === undefined,
        'a refusal: a 400 page or an error redirect',
        describeLanding(landing),
      )
      if (landing.kind === 'redirect' && sameAddress(landing.location, uri)) {
        note(`an error was sent to the redirect URI with another ${what}`)
      }
    }
    basis({ 'altered redirect URIs': altered.length })
  },
)

function sameAddress(location: string, uri: string): boolean {
  return (
    URL.canParse(location) &&
    new URL(location).href.split(/[?#]/, 1)[0] === new URL(uri).href.split(/[?#]/, 1)[0]
  )
}
