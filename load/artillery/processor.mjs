// Hooks before and after each request of probe.yml. They apply the budget and Retry-After of this worker, and write a
// JSON line for each request. The export copies this file unchanged, so the file depends only on Node.
import { createHash, randomBytes } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {{ endpoint: string, share: number, seconds: number, connections: number, needs: string }} Settings
 * @typedef {{ arrivedAt: number, sentAt?: number, done?: boolean, state: string, nonce: string, challenge: string }} Call
 * @typedef {{ vars: Settings & Call }} Context
 * @typedef {{ emit(kind: 'counter', name: string, by: number): void }} Events
 * @typedef {(error?: Error) => void} Next
 * @typedef {{ statusCode: number, headers: Record<string, string | string[] | undefined>, req?: { reusedSocket?: boolean } }} Response
 */

/** Longest accepted Retry-After, in milliseconds; a longer one stops the worker. */
const longestRetryAfterMs = 120_000
/** Number of latest responses that are checked for server errors. */
const checkedResponses = 20
/** Number of server errors among the latest responses that stops the worker. */
const tooManyErrors = 5
/** Number of consecutive requests without a response that stops the worker. */
const tooManyLost = 3

const worker = randomBytes(6).toString('hex')
let begun = false
let sent = 0
let inFlight = 0
/** Number of opened connections. A connection beyond the worker's limit is a reconnect, which costs a request. */
let connected = 0
let notBefore = 0
let throttledInARow = 0
let lostInARow = 0
/** @type {number[]} */
const lastStatuses = []
/** @type {string | undefined} */
let ended

/**
 * Before the scenario: records its arrival time, and generates the values that differ between requests.
 * @param {Context} context @param {Events} _events @param {Next} next
 */
export function arrive({ vars }, _events, next) {
  vars.arrivedAt = now()
  vars.state = randomBytes(24).toString('base64url')
  vars.nonce = randomBytes(24).toString('base64url')
  vars.challenge = createHash('sha256').update(randomBytes(32)).digest('base64url')
  if (!begun) {
    begun = true
    const { endpoint, share, seconds } = vars
    write({ kind: 'begin', format: 1, endpoint, share, seconds, at: vars.arrivedAt })
  }
  next()
}

/**
 * Before the request: admits and counts it, or ends the scenario without sending it.
 * @param {unknown} _request @param {Context} context @param {Events} events @param {Next} next
 */
export function admit(_request, { vars }, events, next) {
  const at = now()
  const because = suppressionOf(vars, at)
  if (because !== undefined) {
    write({ kind: 'suppressed', at, because })
    events.emit('counter', `plumbline.suppressed.${because}`, 1)
    next(new Error(`not sent: ${because}`))
    return
  }
  sent += 1
  inFlight += 1
  vars.sentAt = at
  next()
}

/** @param {Settings} settings @param {number} at @returns {'variable' | 'ended' | 'retry-after' | 'budget' | undefined} */
function suppressionOf(settings, at) {
  const missing = settings.needs.split(',').find((name) => name !== '' && !process.env[name])
  if (missing !== undefined) {
    if (ended === undefined) console.error(`${missing} is not set: this worker sends no request.`)
    ended = `${missing} is not set`
    return 'variable'
  }
  if (ended !== undefined) return 'ended'
  if (at < notBefore) return 'retry-after'
  // Each request in flight may find its connection closed, and open another connection.
  const reconnects = Math.max(0, connected + inFlight + 1 - settings.connections)
  return sent + 1 + reconnects > settings.share ? 'budget' : undefined
}

/**
 * After the response: records the outcome, and applies the requested wait to later requests.
 * @param {unknown} _request @param {Response} response @param {Context} context @param {Events} _events @param {Next} next
 */
export function record(_request, response, { vars }, _events, next) {
  const endedAt = now()
  const { statusCode: status, headers } = response
  const throttled = status === 429 || status === 503
  const requestedMs = throttled ? retryAfterMs(headers) : undefined
  if (throttled) {
    // Without Retry-After, or with 0, the worker still waits: exponential back-off from 1 s to 30 s.
    const waitMs = requestedMs || Math.min(30_000, 1000 * 2 ** throttledInARow)
    throttledInARow += 1
    if (waitMs > longestRetryAfterMs) ended = `Retry-After is ${Math.round(waitMs / 1000)} s`
    notBefore = Math.max(notBefore, endedAt + waitMs)
  } else throttledInARow = 0
  lostInARow = 0
  lastStatuses.push(status)
  if (lastStatuses.length > checkedResponses) lastStatuses.shift()
  const errors = lastStatuses.filter((one) => one >= 500 && one !== 503).length
  if (errors >= tooManyErrors)
    ended = `${errors} of the last ${lastStatuses.length} responses were server errors`
  settle(vars, response.req?.reusedSocket === true, {
    endedAt,
    status,
    ...(requestedMs !== undefined && { retryAfterMs: requestedMs }),
  })
  next()
}

/**
 * After a failure of any kind. Artillery calls this function also for requests that were never sent.
 * @param {Error & { code?: string, name?: string }} error
 * @param {unknown} _request @param {Context} context @param {Events} _events @param {Next} next
 */
export function fail(error, _request, { vars }, _events, next) {
  if (vars.sentAt !== undefined && !vars.done) {
    lostInARow += 1
    if (lostInARow >= tooManyLost) ended = `${lostInARow} consecutive requests had no response`
    settle(vars, false, { endedAt: now(), failure: failureOf(error) })
  }
  next()
}

/** @param {{ code?: string, name?: string }} error */
function failureOf({ code, name }) {
  if (name === 'TimeoutError' || code === 'ETIMEDOUT' || code === 'ERR_SOCKET_TIMEOUT') return 'timed-out'
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EHOSTUNREACH' ? 'refused' : 'reset'
}

/**
 * Counts the connection of a completed request, and writes its outcome.
 * @param {Settings & Call} vars @param {boolean} reused @param {Record<string, unknown>} outcome
 */
function settle(vars, reused, outcome) {
  inFlight -= 1
  const reconnected = !reused && connected >= vars.connections
  if (!reused) connected += 1
  vars.done = true
  write({ kind: 'request', intendedAt: vars.arrivedAt, sentAt: vars.sentAt, ...outcome, reconnected })
}

/**
 * Retry-After (RFC 9110, 10.2.3) in milliseconds; undefined if it is not valid.
 * @param {Response['headers']} headers @returns {number | undefined}
 */
export function retryAfterMs({ 'retry-after': value, date }) {
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  // At most 68 years, as for Cache-Control (RFC 9111, 1.2.2): JSON has no infinite number.
  if (/^\d+$/.test(text)) return Math.min(Number(text), 2 ** 31) * 1000
  const then = httpDate(text)
  if (Number.isNaN(then)) return undefined
  const answeredAt = typeof date === 'string' ? Date.parse(date) : Number.NaN
  return Math.max(0, then - (Number.isNaN(answeredAt) ? Date.now() : answeredAt))
}

/** Parses the three date formats that recipients must accept (RFC 9110, 5.6.7). @param {string} text */
function httpDate(text) {
  const imf = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/
  const rfc850 = /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/
  const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/
  if (asctime.test(text)) return Date.parse(`${text} GMT`)
  return imf.test(text) || rfc850.test(text) ? Date.parse(text) : Number.NaN
}

/** Milliseconds since the epoch, on a clock that does not jump. */
function now() {
  return performance.timeOrigin + performance.now()
}

/** Writes a line to the file of this worker, or on Lambda to the log. @param {Record<string, unknown>} line */
function write(line) {
  const text = `${JSON.stringify({ worker, ...line })}\n`
  if (process.env.AWS_LAMBDA_FUNCTION_NAME) process.stdout.write(text)
  else appendFileSync(join(process.env.PLUMBLINE_RECORDS ?? '.', `records-${worker}.jsonl`), text)
}
