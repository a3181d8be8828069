import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editTokenErrors } from '../edits.ts'
import type { HttpRequest } from '../http.ts'

/** A fault that ignores a part of the redirect URI of a code exchange. @param remove removes or replaces this part */
function ignored(part: string, violates: string, remove: (uri: URL) => void) {
  return {
    name: `exchange-redirect-uri-${part}-ignored`,
    summary: `Ignores the ${part} of the redirect URI of a code exchange.`,
    violates: [violates],
    alter: ({ idp }: Behaviour) =>
      idp.presentedCodes.push((code, { form }) => {
        const given = form?.get('redirect_uri') ?? ''
        const [expected, actual] = [code.redirectUri ?? '', given].map((text) => {
          const uri = URL.parse(text)
          if (uri) remove(uri)
          return uri?.href
        })
        if (actual !== undefined && actual === expected) code.redirectUri = given
      }),
  }
}

const portIgnored = ignored('port', 'TOKEN-REDIRECT-URI-PORT', (uri) => {
  uri.port = ''
})

/** A fault that returns the error `redirect_uri_invalid` if one part of the redirect URI differs. */
function misnamed(part: string, differs: (registered: URL, given: URL) => boolean) {
  return {
    name: `exchange-redirect-uri-${part}-as-redirect-uri-invalid`,
    summary: `Returns the error \`redirect_uri_invalid\` for a code exchange whose redirect URI has a different ${part.replace('-', ' ')}.`,
    violates: ['TOKEN-REDIRECT-URI-MATCH-ERROR'],
    alter: (behaviour: Behaviour) => {
      const differing = new WeakSet<HttpRequest>()
      behaviour.idp.presentedCodes.push((code, request) => {
        const registered = URL.parse(code.redirectUri ?? '')
        const given = URL.parse(request.form?.get('redirect_uri') ?? '')
        if (registered && given && differs(registered, given)) differing.add(request)
      })
      editTokenErrors((fields, request) => {
        if (differing.has(request)) fields.error = 'redirect_uri_invalid'
      })(behaviour)
    },
  }
}

/** Ignored differences in the redirect URI of a code exchange, and wrong errors for them. */
export const exchangeRedirectUriFaults = withSurface('token', [
  ignored('scheme', 'TOKEN-REDIRECT-URI-SCHEME', (uri) => {
    uri.protocol = 'https:'
  }),
  ignored('host', 'TOKEN-REDIRECT-URI-HOST', (uri) => {
    uri.hostname = 'any.invalid'
  }),
  portIgnored,
  {
    ...portIgnored,
    name: 'exchange-redirect-uri-port-ignored-and-codes-ended',
    summary:
      'Ignores the port of the redirect URI of a code exchange, and invalidates a code after a refused exchange.',
    variants: ['refused-exchange-ends-code'],
  },
  ignored('query', 'TOKEN-REDIRECT-URI-QUERY', (uri) => {
    uri.search = ''
  }),
  {
    name: 'exchange-redirect-uri-slash-ignored',
    summary: 'Ignores a trailing slash of the redirect URI in a code exchange.',
    violates: ['TOKEN-REDIRECT-URI-TRAILING-SLASH'],
    alter: ({ idp }: Behaviour) =>
      idp.presentedCodes.push((code, { form }) => {
        const given = form?.get('redirect_uri') ?? ''
        if (given.replace(/\/$/, '') === code.redirectUri?.replace(/\/$/, '')) code.redirectUri = given
      }),
  },
  {
    name: 'exchange-redirect-uri-case-ignored',
    summary: 'Compares the redirect URI of a code exchange case-insensitively.',
    violates: ['TOKEN-REDIRECT-URI-CASE'],
    alter: ({ idp }: Behaviour) =>
      idp.presentedCodes.push((code, { form }) => {
        const given = form?.get('redirect_uri') ?? ''
        if (given.toLowerCase() === code.redirectUri?.toLowerCase()) code.redirectUri = given
      }),
  },
  {
    name: 'exchange-redirect-uri-ignored',
    summary: 'Accepts a code exchange whose redirect URI differs from that of the authorization request.',
    violates: ['TOKEN-REDIRECT-URI-MATCH'],
    alter: ({ idp }: Behaviour) =>
      idp.presentedCodes.push((code, { form }) => {
        code.redirectUri = form?.get('redirect_uri') ?? ''
      }),
  },
  {
    name: 'exchange-redirect-uri-by-prefix',
    summary: 'Accepts a code exchange whose redirect URI begins with that of the authorization request.',
    violates: ['TOKEN-REDIRECT-URI-MATCH'],
    alter: ({ idp }: Behaviour) =>
      idp.presentedCodes.push((code, { form }) => {
        const given = form?.get('redirect_uri') ?? ''
        if (given.startsWith(code.redirectUri ?? '')) code.redirectUri = given
      }),
  },
  {
    name: 'exchange-redirect-uri-error-renamed',
    summary:
      'Returns the error `invalid_request` for a code exchange whose redirect URI differs from that of the authorization request.',
    violates: ['TOKEN-REDIRECT-URI-MATCH-ERROR'],
    alter: (behaviour: Behaviour) => {
      const differing = new WeakSet<HttpRequest>()
      behaviour.idp.presentedCodes.push((code, request) => {
        if (code.redirectUri !== request.form?.get('redirect_uri')) differing.add(request)
      })
      editTokenErrors((fields, request) => {
        if (differing.has(request)) fields.error = 'invalid_request'
      })(behaviour)
    },
  },
  misnamed('host', (registered, given) => registered.hostname !== given.hostname),
  misnamed('scheme', (registered, given) => registered.protocol !== given.protocol),
  misnamed('port', (registered, given) => registered.port !== given.port),
  misnamed('query', (registered, given) => registered.search !== given.search),
  misnamed(
    'letter-case',
    ({ pathname: registered }, { pathname: given }) =>
      registered !== given && registered.toLowerCase() === given.toLowerCase(),
  ),
  {
    ...misnamed(
      'trailing slash',
      ({ pathname: registered }, { pathname: given }) =>
        registered !== given && registered.replace(/\/$/, '') === given.replace(/\/$/, ''),
    ),
    name: 'exchange-redirect-uri-slash-as-redirect-uri-invalid-and-codes-ended',
    summary:
      'Returns the error `redirect_uri_invalid` for a code exchange whose redirect URI differs by a trailing slash, and invalidates a code after a refused exchange.',
    variants: ['refused-exchange-ends-code'],
  },
  {
    name: 'exchange-redirect-uri-with-403',
    summary:
      'Returns 403 for a code exchange whose redirect URI differs from that of the authorization request.',
    violates: ['TOKEN-REDIRECT-URI-MATCH-ERROR'],
    alter: (behaviour: Behaviour) => {
      const differing = new WeakSet<HttpRequest>()
      behaviour.idp.presentedCodes.push((code, request) => {
        if (code.redirectUri !== request.form?.get('redirect_uri')) differing.add(request)
      })
      editTokenErrors((_, request, response) => {
        if (differing.has(request)) response.status = 403
      })(behaviour)
    },
  },
])
