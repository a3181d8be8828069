import { type Answer, jsonAnswer } from '../http.ts'

/** Credentials that no partner has. */
export function unauthorized(): Answer {
  const message = 'X-Client-Id and X-Client-Secret are not valid.'
  return jsonAnswer(401, { type: 'UNAUTHORIZED', message })
}

/** @param message what is wrong; never a value that was sent */
export function badRequest(message: string): Answer {
  return jsonAnswer(400, { type: 'BAD_REQUEST', message })
}

/** @param what kind of thing was not found */
export function notFound(what: string): Answer {
  return jsonAnswer(404, { type: 'NOT_FOUND', message: `There is no such ${what}.` })
}

/** @param allowed methods, separated by commas */
export function methodNotAllowed(allowed: string): Answer {
  const answer = jsonAnswer(405, { type: 'METHOD_NOT_ALLOWED', message: `Use ${allowed}.` })
  answer.headers.allow = allowed
  return answer
}
