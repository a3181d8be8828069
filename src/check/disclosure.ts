import type { HttpResponse } from '../http/response.ts'
import { decodeJwt } from '../oauth/jwt.ts'
import { isGiven, objectsIn } from '../text/json.ts'
import type { Expect } from './expect.ts'

// Whether a refusal of UserInfo or introspection reveals something about a user or a token.

/** Claims that an error body does not contain by accident (OpenID Connect Core, 5.1). */
const identifying = ['sub', 'given_name', 'family_name', 'preferred_username', 'phone_number', 'birthdate']
/** Standard claims (OpenID Connect Core, 5.1), which describe a user even inside another member of a body. */
const standard = new Set([
  ...[...identifying, 'name', 'middle_name', 'nickname', 'profile', 'picture', 'website', 'email', 'gender'],
  ...['email_verified', 'phone_number_verified', 'address', 'updated_at'],
])
/** Claims whose values many users share: a refusal that repeats such a value reveals nothing. */
const common = new Set(['locale', 'zoneinfo', 'iss', 'aud', 'scope', 'client_id'])
/** Members that describe a token (section Introspection response). An error body does not contain them by accident. */
const describing = ['active', 'username', 'sub', 'exp', 'iat', 'nbf', 'jti', 'token_type']

/** Claims whose values no page or header contains by accident. */
const unmistakable = ['sub', 'email', 'preferred_username', 'phone_number']
/** Minimum length of a value to search for, in characters: a page or header may contain a shorter one by accident. */
const shortestValue = 6

/** Expects a refusal of UserInfo to reveal nothing about a user. */
export function expectNoClaims(expect: Expect, responses: UserinfoResponses): void {
  expect.that(
    !disclosesClaims(responses),
    'a refusal without claims of a user',
    `a response with status ${responses.refusal.status} and claims of a user`,
  )
}

/** Responses of UserInfo that show whether a refusal reveals something about a user. */
interface UserinfoResponses {
  readonly refusal: HttpResponse
  /** The response to a valid token. */
  readonly validResponse: HttpResponse
  /** The refusal of a request that names no user: its members, except standard claims, describe the service. */
  readonly anonymousRefusal?: HttpResponse | undefined
  /** The refused bearer credential. If it is a JWT, the refusal may repeat its claims, which the caller knows. */
  readonly bearer?: string | undefined
}

/** Whether a refusal of UserInfo contains values of the valid response, or claims of another user. */
export function disclosesClaims({
  refusal,
  validResponse,
  anonymousRefusal,
  bearer,
}: UserinfoResponses): boolean {
  const presented = claimsIn(claimsOfBearer(bearer))
  const presentedTexts = new Set(presented.map(({ text }) => text))
  const presentedValues = new Set(presented.map(({ value }) => value))
  const validTexts = new Set(claimsIn(validResponse.json).map(({ text }) => text))
  const serviceNames = new Set(claimsIn(anonymousRefusal?.json).map(({ name }) => name))
  const isCopy = validResponse.text !== '' && refusal.text === validResponse.text
  return (
    isCopy ||
    claimsIn(refusal.json).some(
      ({ name, text, isStandard }) =>
        validTexts.has(text) && !presentedTexts.has(text) && (isStandard || !serviceNames.has(name)),
    ) ||
    disclosedMembers(refusal, identifying, presentedTexts).length > 0 ||
    contains(
      refusal,
      unmistakable.map((name) => validResponse.object?.[name]).filter((value) => !presentedValues.has(value)),
    )
  )
}

/** The claims of a bearer credential that is a JWT, even without a signature; empty for any other. */
function claimsOfBearer(bearer = ''): Members {
  return decodeJwt(bearer.replace(/\.$/, '.none'))?.claims ?? {}
}

/** A refusal of introspection, with the data that show whether it reveals something about the token. */
interface IntrospectionRefusal {
  readonly refusal: HttpResponse
  /** Values of the token or its user, such as `sub`. */
  readonly values?: readonly unknown[]
  /** The response to the same request without an existing token. */
  readonly tokenlessResponse?: HttpResponse | undefined
}

/** Expects a refusal of introspection to reveal nothing about the token. */
export function expectNoTokenInformation(expect: Expect, responses: IntrospectionRefusal): void {
  const disclosed = tokenInformationIn(responses)
  expect.that(
    disclosed.length === 0,
    'a refusal without token information',
    `a response with status ${responses.refusal.status} and ${disclosed.join(', ')}`,
  )
}

/** What a refusal of introspection seems to reveal about the token, in words. */
export function tokenInformationIn({
  refusal,
  values = [],
  tokenlessResponse,
}: IntrospectionRefusal): string[] {
  const disclosed = disclosedMembers(refusal, describing, tokenlessMembers(refusal, tokenlessResponse))
  if (disclosed.length > 0) return disclosed
  return contains(refusal, values) ? ['a value of the token or its user'] : []
}

/**
 * Members, as `name=value`, that do not describe the token: the response to the request without a token has them,
 * too.
 */
function tokenlessMembers(
  refusal: HttpResponse,
  tokenlessResponse: HttpResponse | undefined,
): ReadonlySet<string> {
  const tokenlessClaims = claimsIn(tokenlessResponse?.json)
  // If both responses have `iat`, it is the time of the response, and its value differs without describing the token.
  const isDated = tokenlessClaims.some(({ name }) => name === 'iat')
  const dates = isDated ? claimsIn(refusal.json).filter(({ name }) => name === 'iat') : []
  return new Set([...tokenlessClaims, ...dates].map(({ text }) => text))
}

/**
 * Which of these names the body has as members. An object inside the body counts only if it has at least two of the
 * names, since a single member can belong to an error, as in `{ details: { exp: 'expired' } }`.
 * @param excepted members that do not count, as `name=value`, such as claims of the refused credential
 */
function disclosedMembers(
  { object, json }: HttpResponse,
  names: readonly string[],
  excepted: ReadonlySet<string> = new Set(),
): string[] {
  const isSet = (candidate: Members, name: string) =>
    name === 'active' ? candidate[name] === true : isGiven(candidate[name])
  const disclosed = objectsIn(json).flatMap((candidate) => {
    const members = names.filter((name) => isSet(candidate, name))
    const describesSubject = candidate === object || members.length > 1
    return describesSubject
      ? members.filter((name) => name === 'active' || !excepted.has(textOf(name, candidate[name])))
      : []
  })
  return [...new Set(disclosed)]
}

type Members = Readonly<Record<string, unknown>>

/** Whether a body of any media type, or a header, contains one of these values. */
function contains(response: HttpResponse, values: readonly unknown[]): boolean {
  return values.some(
    (value) => typeof value === 'string' && value.length >= shortestValue && response.contains(value),
  )
}

interface Claim {
  readonly name: string
  readonly value: unknown
  /** `name=value`, to compare. */
  readonly text: string
  /** Whether the claim is a standard claim, or a part of one. */
  readonly isStandard: boolean
}

/**
 * The strings and numbers at all depths of a JSON value, except for claims that many users share.
 * @param name the member that contains `json`
 * @param isInStandard whether this member is inside a standard claim
 */
function claimsIn(json: unknown, name = '', isInStandard = false): Claim[] {
  const isStandard = isInStandard || standard.has(name)
  if (typeof json === 'object' && json !== null)
    return Object.entries(json).flatMap(([member, value]) =>
      claimsIn(value, Array.isArray(json) ? name : member, isStandard),
    )
  if (!isGiven(json) || typeof json === 'boolean' || common.has(name)) return []
  return [{ name, value: json, text: textOf(name, json), isStandard }]
}

function textOf(name: string, value: unknown): string {
  return `${name}=${JSON.stringify(value)}`
}
