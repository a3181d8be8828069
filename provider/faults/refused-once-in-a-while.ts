import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { SECOND_APPLICATION_ID } from '../deployment.ts'
import { editCallback, editResponse, editTokens, grantType } from '../edits.ts'
import { type HttpResponse, htmlResponse, jsonResponse } from '../http.ts'
import { callbackOf } from '../identity/responses.ts'

/** Returns a function that returns true once every `count` calls. */
function everyNth(count: number): () => boolean {
  let calls = 0
  return () => {
    calls += 1
    return calls % count === 0
  }
}

function refuse(response: HttpResponse): void {
  Object.assign(response, jsonResponse(400, { error: 'invalid_grant', error_description: 'Not found.' }))
}

/** Valid requests that are sometimes refused, as if one of several nodes had no current data. */
export const refusedOnceInAWhileFaults = [
  // The surface is `token`, because the checks of the token endpoint request most codes.
  ...withSurface('token', [
    {
      name: 'every-fourth-code-as-invalid-request',
      summary: 'Returns the error `invalid_request` instead of every fourth code.',
      violates: ['AUTHZ-CODE-FLOW'],
      alter: (behaviour: Behaviour) => {
        const isDue = everyNth(4)
        editCallback(({ searchParams }) => {
          if (!searchParams.has('code') || !isDue()) return
          searchParams.delete('code')
          searchParams.set('error', 'invalid_request')
        })(behaviour)
      },
    },
    {
      name: 'every-third-request-on-page',
      summary:
        'Shows an error page with status 400 for every third valid authorization request in a session, counting only requests whose `state` consists of letters, digits, hyphens and underscores.',
      violates: ['AUTHZ-CODE-FLOW'],
      alter: (behaviour: Behaviour) => {
        const isDue = everyNth(3)
        editResponse('authorization', (response, request) => {
          const { query } = request
          const isOrdinary = /^[\w-]+$/.test(query.get('state') ?? '') && !query.has('prompt')
          if (!isOrdinary || !callbackOf(response, request)?.searchParams.has('code') || !isDue()) return
          delete response.headers.location
          Object.assign(response, htmlResponse(400, '<!doctype html><title>Sorry</title><p>Bad request.</p>'))
        })(behaviour)
      },
    },
    {
      name: 'every-fourth-code-exchange-refused',
      summary: 'Refuses every fourth valid code exchange with `invalid_grant`.',
      violates: ['TOKEN-CODE-EXCHANGE'],
      alter: (behaviour: Behaviour) => {
        const isDue = everyNth(4)
        editTokens((_, request, response) => {
          if (grantType(request) === 'authorization_code' && isDue()) refuse(response)
        })(behaviour)
      },
    },
    ...[
      { page: 'page', status: 200, text: 'a page with status 200' },
      { page: 'redirect', status: 302, text: 'a redirect to a page' },
    ].map(({ page, status, text }) => ({
      name: `every-third-code-exchange-with-${page}`,
      summary: `Returns ${text} for every third valid code exchange.`,
      violates: ['TOKEN-CODE-EXCHANGE'],
      alter: (behaviour: Behaviour) => {
        const isDue = everyNth(3)
        editTokens((_, request, response) => {
          if (grantType(request) !== 'authorization_code' || !isDue()) return
          Object.assign(response, htmlResponse(status, '<!doctype html><title>One moment</title>'))
          if (status === 302) response.headers.location = '/moment'
        })(behaviour)
      },
    })),
    {
      name: 'second-application-code-exchange-refused',
      summary: 'Refuses every code exchange of the second application with `invalid_grant`.',
      violates: ['TOKEN-CODE-EXCHANGE'],
      alter: editTokens((_, request, response) => {
        if (request.client === SECOND_APPLICATION_ID) refuse(response)
      }),
    },
    {
      name: 'second-application-code-exchange-with-201',
      summary: 'Returns 201 for each code exchange of the second application.',
      violates: ['TOKEN-CODE-EXCHANGE'],
      alter: editTokens((_, request, response) => {
        if (request.client === SECOND_APPLICATION_ID) response.status = 201
      }),
    },
    ...(
      [
        [3, 'third', 'TOKEN-REFRESH-RACE'],
        [4, 'fourth', 'TOKEN-REFRESH-NEWEST'],
      ] as const
    ).map(([number, ordinal, violated]) => ({
      name: `${ordinal}-refresh-with-page`,
      summary: `Returns a page with status 200 for the ${ordinal} valid refresh.`,
      violates: [violated],
      alter: (behaviour: Behaviour) => {
        let refreshes = 0
        editTokens((_, request, response) => {
          if (grantType(request) !== 'refresh_token') return
          refreshes += 1
          if (refreshes === number)
            Object.assign(response, htmlResponse(200, '<!doctype html><title>One moment</title>'))
        })(behaviour)
      },
    })),
    {
      name: 'every-third-refresh-refused',
      summary: 'Refuses every third valid refresh with `invalid_grant`.',
      violates: ['TOKEN-REFRESH-NEWEST'],
      alter: (behaviour: Behaviour) => {
        const isDue = everyNth(3)
        editTokens((_, request, response) => {
          if (grantType(request) === 'refresh_token' && isDue()) refuse(response)
        })(behaviour)
      },
    },
  ]),
  ...withSurface('userinfo', [
    {
      name: 'every-second-valid-access-token-refused',
      summary: 'Refuses every second valid access token at UserInfo with `invalid_token`.',
      violates: ['USERINFO-BEARER'],
      alter: (behaviour: Behaviour) => {
        const isDue = everyNth(2)
        editResponse('userinfo', (response) => {
          if (response.status !== 200 || !isDue()) return
          Object.assign(response, jsonResponse(401, { error: 'invalid_token' }))
          response.headers['www-authenticate'] = 'Bearer error="invalid_token"'
        })(behaviour)
      },
    },
  ]),
]
