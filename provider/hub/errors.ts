import { type HttpResponse, jsonResponse } from '../http.ts'

/** The response to missing or invalid partner credentials. */
export function unauthorized(): HttpResponse {
  const message = 'X-Client-Id and X-Client-Secret are not valid.'
  return jsonResponse(401, { type: 'UNAUTHORIZED', message })
}

/** @param message names the mistake, and never repeats a value of the request */
export function badRequest(message: string): HttpResponse {
  return jsonResponse(400, { type: 'BAD_REQUEST', message })
}

/** @param what kind of resource */
export function notFound(what: string): HttpResponse {
  return jsonResponse(404, { type: 'NOT_FOUND', message: `There is no such ${what}.` })
}

/** @param allowed methods, separated by commas */
export function methodNotAllowed(allowed: string): HttpResponse {
  const response = jsonResponse(405, { type: 'METHOD_NOT_ALLOWED', message: `Use ${allowed}.` })
  response.headers.allow = allowed
  return response
}
