import { documented, type Implementation } from '../implementation.ts'
import { load } from '../import-package.ts'

interface MockServer {
  readonly OAuth2Issuer: new () => { url: string; readonly keys: { generate(alg: string): Promise<unknown> } }
  readonly OAuth2Service: new (
    issuer: unknown,
    endpoints: Readonly<Record<string, string>>,
  ) => { readonly requestHandler: import('node:http').RequestListener }
}

/** oauth2-mock-server: a server for tests of applications, without users, passwords or registered applications. */
export const implementation: Implementation = {
  start: async (origin) => {
    const { OAuth2Issuer, OAuth2Service } = await load<MockServer>('oauth2-mock-server')
    const issuer = new OAuth2Issuer()
    issuer.url = origin
    await issuer.keys.generate('RS256')
    const { discovery: wellKnownDocument, ...endpoints } = documented
    return { listener: new OAuth2Service(issuer, { wellKnownDocument, ...endpoints }).requestHandler }
  },
}
