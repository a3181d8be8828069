import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editTokenErrors, editTokens, type Fields, grantType } from '../edits.ts'
import { fieldsOf, type HttpRequest, type HttpResponse, htmlResponse, jsonResponse } from '../http.ts'
import type { StoredRecord } from '../identity/behaviour.ts'
import { challengeOf } from '../pkce.ts'

const localTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/

/**
 * Adds tokens to matching errors of the token endpoint.
 * @param matches receives a request, and all refresh tokens that the provider has issued
 * @param disclose adds members of the latest token response to an error
 */
function discloseTokens(
  matches: (request: HttpRequest, issued: ReadonlySet<unknown>) => boolean,
  disclose: (latest: Fields, error: Fields, response: HttpResponse) => void,
): Alter {
  return (behaviour) => {
    const issued = new Set<unknown>()
    let latest: Fields = {}
    editTokens((fields) => {
      latest = fields
      issued.add(fields.refresh_token)
    })(behaviour)
    editTokenErrors((error, request, response) => {
      if (matches(request, issued)) disclose(latest, error, response)
    })(behaviour)
  }
}

/** Adds an access token to the refusal of a code exchange whose form differs from the authorization request. */
function discloseTokensTo(differs: (code: StoredRecord, form: URLSearchParams) => boolean): Alter {
  return (behaviour) => {
    const differing = new WeakSet<HttpRequest>()
    behaviour.idp.presentedCodes.push((code, request) => {
      if (request.form && differs(code, request.form)) differing.add(request)
    })
    discloseTokens(
      (request) => differing.has(request),
      ({ access_token }, error) => {
        error.access_token = access_token
      },
    )(behaviour)
  }
}

/**
 * Replaces matching refusals of searches.
 * @param disclose receives the events of the latest page as JSON, and returns the new refusal
 */
function discloseEvents(
  matches: (request: HttpRequest) => boolean,
  disclose: (items: string) => HttpResponse,
): Alter {
  return ({ hub }: Behaviour) => {
    let last = ''
    hub.responses.push((response, request) => {
      const { items } = fieldsOf(response) ?? {}
      if (response.status === 200 && Array.isArray(items) && items.length > 0) last = JSON.stringify(items)
      if (response.status >= 400 && last !== '' && matches(request)) Object.assign(response, disclose(last))
    })
  }
}

/** Refusals that disclose tokens or events, mostly in nested members, headers or texts. */
export const disclosingRefusalFaults = [
  ...withSurface('token', [
    {
      name: 'unknown-grant-refused-with-nested-tokens',
      summary: 'Refuses an unknown grant type, but adds tokens in an array inside the error.',
      violates: ['TOKEN-GRANT-UNKNOWN'],
      alter: discloseTokens(
        (request) => /^urn:(?!ietf:)/.test(grantType(request) ?? ''),
        ({ access_token, refresh_token }, error) => {
          error.details = [{ access_token, refresh_token }]
        },
      ),
    },
    {
      name: 'client-credentials-refused-with-tokens',
      summary:
        'Refuses the `client_credentials` grant, but adds the ID token and the refresh token of the last user to the error.',
      violates: ['PLATFORM-MACHINE-TO-MACHINE'],
      alter: discloseTokens(
        (request) => grantType(request) === 'client_credentials',
        ({ id_token, refresh_token }, error) => Object.assign(error, { id_token, refresh_token }),
      ),
    },
    {
      name: 'password-grant-refused-with-token-in-header',
      summary: 'Refuses the `password` grant, but returns the access token of the last user in a header.',
      violates: ['TOKEN-GRANT-PASSWORD'],
      alter: discloseTokens(
        (request) => grantType(request) === 'password',
        ({ access_token }, _, response) => {
          response.headers['x-access-token'] = String(access_token)
        },
      ),
    },
    {
      name: 'unknown-refresh-token-refused-with-token-in-text',
      summary:
        'Refuses an unknown refresh token, but states the newest refresh token in `error_description`.',
      violates: ['TOKEN-REFRESH-UNKNOWN'],
      alter: discloseTokens(
        (request, issued) =>
          grantType(request) === 'refresh_token' &&
          Boolean(request.form?.get('refresh_token')) &&
          !issued.has(request.form?.get('refresh_token')),
        ({ refresh_token }, error) => {
          if (error.error === 'invalid_grant')
            error.error_description = `The refresh token is not ${refresh_token}.`
        },
      ),
    },
    {
      name: 'wrong-verifier-refused-with-token',
      summary: 'Refuses a code exchange with a wrong verifier, but adds an access token to the error.',
      violates: ['TOKEN-VERIFIER-WRONG'],
      alter: discloseTokensTo(({ codeChallenge }, form) => {
        const verifier = form.get('code_verifier')
        return Boolean(verifier) && challengeOf(verifier ?? '') !== codeChallenge
      }),
    },
    {
      name: 'wrong-redirect-uri-refused-with-token',
      summary:
        'Refuses a code exchange with a different redirect URI, but adds an access token to the error.',
      violates: ['TOKEN-REDIRECT-URI-MATCH'],
      alter: discloseTokensTo(({ redirectUri }, form) => {
        const given = form.get('redirect_uri')
        return Boolean(given) && given !== redirectUri
      }),
    },
  ]),
  ...withSurface('hub', [
    {
      name: 'search-without-from-refused-with-page-of-events',
      summary: 'Returns 400 and an HTML page that shows events for a search without `from`.',
      violates: ['EVENT-FROM-REQUIRED'],
      alter: discloseEvents(
        ({ query }) => !query.has('from'),
        (items) => htmlResponse(400, `<!doctype html><title>Bad request</title><pre>${items}</pre>`),
      ),
    },
    {
      name: 'invalid-time-refused-with-page-of-events',
      summary: 'Returns 400 and an HTML page that shows events for times that are not local date-times.',
      violates: ['EVENT-TIME-INVALID'],
      alter: discloseEvents(
        ({ query }) =>
          ['from', 'to'].some((name) => query.has(name) && !localTime.test(query.get(name) ?? '')),
        (items) => htmlResponse(400, `<!doctype html><title>Bad request</title><pre>${items}</pre>`),
      ),
    },
    {
      name: 'search-without-credentials-refused-with-events-as-text',
      summary: 'Returns 401 and events as JSON text in a member for a search without credentials.',
      violates: ['EVENT-CREDENTIALS-REQUIRED'],
      alter: discloseEvents(
        ({ headers }) =>
          headers['x-client-id'] === undefined &&
          headers['x-client-secret'] === undefined &&
          headers.authorization === undefined,
        (items) => jsonResponse(401, { type: 'UNAUTHORIZED', message: 'Who are you?', debug: items }),
      ),
    },
  ]),
]
