// Edits of responses that several faults and variants share.
import type { Alter } from './alteration.ts'
import type { Behaviour } from './behaviour.ts'
import { fieldsOf, type HttpRequest, type HttpResponse, htmlResponse } from './http.ts'
import type { ResultPage } from './hub/behaviour.ts'
import type { Edit } from './identity/behaviour.ts'
import type { Endpoint } from './identity/paths.ts'
import { callbackOf } from './identity/responses.ts'

export type Fields = Record<string, unknown>
type FieldsEdit = (fields: Fields, request: HttpRequest, response: HttpResponse) => void

/** Edits the responses of an endpoint. */
export function editResponse(endpoint: Endpoint, edit: Edit<HttpResponse>): Alter {
  return ({ idp }) => idp.responses[endpoint].push(edit)
}

/** Edits the URL of redirects to the application. */
export function editCallback(edit: (url: URL, request: HttpRequest, response: HttpResponse) => void): Alter {
  return editResponse('authorization', (response, request) => {
    const url = callbackOf(response, request)
    if (!url) return
    edit(url, request, response)
    response.headers.location = url.href
  })
}

/** Shows a page with status 400 in place of redirects with this error code. */
export function showPageForError(error: string): Alter {
  return editResponse('authorization', (response, request) => {
    if (callbackOf(response, request)?.searchParams.get('error') !== error) return
    delete response.headers.location
    Object.assign(response, htmlResponse(400, '<!doctype html><title>Refused</title><p>Refused.</p>'))
  })
}

/** Whether a response is the page for an unregistered redirect URI. */
export function isMismatchPage({ status, body }: HttpResponse): boolean {
  return status === 400 && String(body).includes('redirect_uri_mismatch')
}

/**
 * Redirects a request with an unregistered redirect URI to an error page.
 * @param redirect status of the redirect
 * @param page status of the error page
 */
export function showMismatchAfterRedirect(redirect: number, page: number): Alter {
  const path = '/mga/sps/authsvc/error'
  return (behaviour) => {
    editResponse('authorization', (response) => {
      if (isMismatchPage(response)) Object.assign(response, redirectTo(redirect, path))
    })(behaviour)
    behaviour.idp.interceptors.push((request) =>
      request.path === path
        ? htmlResponse(page, '<!doctype html><title>Error</title><h1>Unknown redirect URI</h1>')
        : undefined,
    )
  }
}

/** A redirect without a body. */
export function redirectTo(status: number, location: string): HttpResponse {
  return { status, headers: { location, 'cache-control': 'no-store' }, body: '' }
}

/** Edits the body of successful token responses. */
export function editTokens(edit: FieldsEdit): Alter {
  return editResponse('token', (response, request) => {
    const fields = fieldsOf(response)
    if (response.status === 200 && fields) edit(fields, request, response)
  })
}

/** Edits the body of errors of the token endpoint. */
export function editTokenErrors(edit: FieldsEdit): Alter {
  return editResponse('token', (response, request) => {
    const fields = fieldsOf(response)
    if (response.status >= 400 && fields) edit(fields, request, response)
  })
}

/** Edits the members of introspection responses about active tokens. */
export function editActiveToken(edit: (fields: Fields) => void): Alter {
  return editResponse('introspection', (response) => {
    const fields = fieldsOf(response)
    if (fields?.active === true) edit(fields)
  })
}

/** Edits the published keys. */
export function editKeys(edit: (keys: Fields[]) => object[] | Promise<object[]>): Alter {
  return editResponse('keySet', async (response) => {
    const keys = fieldsOf(response)?.keys
    if (Array.isArray(keys)) response.body = { keys: await edit(keys.map((key) => ({ ...key }))) }
  })
}

/** Replaces the pages of the identity provider. */
export function showPages(pages: Behaviour['idp']['pages']): Alter {
  return ({ idp }) => {
    idp.pages = pages
  }
}

export function grantType({ form }: HttpRequest): string | undefined {
  return form?.get('grant_type') ?? undefined
}

/** Reduces a larger `pageSize` to `largest`. The page then states the reduced size. */
export function capPageSize(largest: number): Alter {
  return ({ hub }) => {
    const { parsePageSize } = hub
    hub.parsePageSize = (text) => {
      const size = parsePageSize(text)
      return size === undefined ? undefined : Math.min(size, largest)
    }
  }
}

/** Whether a Basic header contains an empty secret. */
export function hasEmptySecret({ authorization = '' }: HttpRequest['headers']): boolean {
  const [scheme, pair = ''] = authorization.split(' ')
  return scheme?.toLowerCase() === 'basic' && Buffer.from(pair, 'base64').toString().endsWith(':')
}

/** Whether this client identifier is one that Plumbline invents to send requests as an unknown client. */
export function isUnknownClient(client: string | undefined): boolean {
  return client?.startsWith('plumbline-') === true
}

/**
 * Returns other events than those of the requested page.
 * @param bounds returns two indexes into all matching events: of the first event, and after the last event
 */
export function replaceBounds(
  bounds: (page: number, pageSize: number, total: number) => [number, number],
): Alter {
  return ({ hub }) => {
    hub.paginate = (ordered, { page, pageSize }) => {
      const [start, end] = bounds(page, pageSize, ordered.length)
      return {
        page,
        pageSize,
        total: ordered.length,
        items: ordered.slice(Math.max(0, start), Math.max(0, end)),
      }
    }
  }
}

/** Edits the pages of search results. */
export function editPage(edit: (page: ResultPage) => ResultPage): Alter {
  return ({ hub }) => {
    const { paginate } = hub
    hub.paginate = (ordered, paging) => edit(paginate(ordered, paging))
  }
}

/** Refuses every request to manage webhook subscriptions. */
export function refuseSubscriptions(refusal: HttpResponse): Alter {
  return ({ hub }) =>
    hub.interceptors.push(({ path }) =>
      path.includes('/events/subscriptions') ? structuredClone(refusal) : undefined,
    )
}
