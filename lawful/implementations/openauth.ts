import type { RequestListener } from 'node:http'
import { application, type Implementation, mapPaths, secondApplication, user } from '../implementation.ts'
import { load } from '../import-package.ts'

interface OpenAuth {
  readonly issuer: (options: object) => { readonly fetch: unknown }
}
interface Storage {
  set(key: readonly string[], value: unknown): Promise<void>
}

/** OpenAuth: an OAuth server with its own password page and ES256 access tokens. It issues no ID tokens. */
export const implementation: Implementation = {
  start: async () => {
    const { issuer } = await load<OpenAuth>('@openauthjs/openauth')
    const { MemoryStorage } = await load<{ MemoryStorage: () => Storage }>(
      '@openauthjs/openauth/storage/memory',
    )
    const { createSubjects } = await load<{ createSubjects: (types: object) => object }>(
      '@openauthjs/openauth/subject',
    )
    const { PasswordUI } = await load<{ PasswordUI: (options: object) => object }>(
      '@openauthjs/openauth/ui/password',
    )
    const { PasswordProvider, ScryptHasher } = await load<{
      PasswordProvider: (options: object) => object
      ScryptHasher: () => { hash(password: string): Promise<unknown> }
    }>('@openauthjs/openauth/provider/password')
    const { getRequestListener } = await load<{ getRequestListener: (fetch: unknown) => RequestListener }>(
      '@hono/node-server',
    )
    const storage = MemoryStorage()
    await storage.set(['email', user.email, 'password'], await ScryptHasher().hash(user.password))
    const app = issuer({
      storage,
      subjects: createSubjects({ user: anySubject }),
      providers: { password: PasswordProvider(PasswordUI({ sendCode: async () => undefined })) },
      allow: async ({ clientID, redirectURI }: { clientID: string; redirectURI: string }) =>
        [application, secondApplication].some(
          ({ id, redirectUri }) => id === clientID && redirectUri === redirectURI,
        ),
      success: async (context: SuccessContext, { email }: { email: string }) =>
        context.subject('user', { email }),
    })
    const ownPaths = {
      authorize: '/authorize',
      token: '/token',
      discovery: '/.well-known/oauth-authorization-server',
    }
    return {
      listener: mapPaths(ownPaths, getRequestListener(app.fetch)),
      // OpenAuth has no session, so each authorization request is a login. It reads client_id only from the form.
      variables: { LOGIN_BUDGET: '200', CLIENT_AUTH_METHOD: 'client_secret_post' },
    }
  },
}

interface SuccessContext {
  subject(type: string, properties: object): Promise<unknown>
}

/** A schema for OpenAuth (standardschema.dev) that accepts all values. */
const anySubject = {
  '~standard': { version: 1, vendor: 'none', validate: (value: unknown) => ({ value }) },
}
