import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editKeys, grantType } from '../edits.ts'

/** Makes access tokens valid for two hours longer than `expires_in`, except those of the first code exchange. */
const outliveExpiresIn: Alter = ({ idp }) => {
  let exchanges = 0
  idp.accessToken.push(({ claims }, request) => {
    if (grantType(request) !== 'authorization_code') return
    exchanges += 1
    if (exchanges > 1) claims.exp = Number(claims.exp) + 7200
  })
}

/** Gives the signing key a new `kid` with each access token, and publishes the key with all of these kids. */
const renameForEach: Alter = (behaviour) => {
  let tokens = 0
  const nameOf = (kid: unknown, number: number) => (number === 0 ? kid : `${kid}-${number}`)
  editKeys((keys) =>
    Array.from({ length: tokens + 1 }, (_, number) => number).flatMap((number) =>
      keys.map((key) => ({ ...key, kid: nameOf(key.kid, number) })),
    ),
  )(behaviour)
  behaviour.idp.accessToken.push(({ header }) => {
    tokens += 1
    header.kid = nameOf(header.kid, tokens)
  })
}

/** Lifetimes of access tokens that differ from `expires_in` after the first exchange. */
export const laterLifetimeFaults = withSurface('token', [
  {
    name: 'later-access-tokens-outlive-expires-in',
    summary:
      'Makes the access tokens of each code exchange except the first valid for two hours longer than `expires_in`.',
    violates: ['ACCESSTOKEN-LATER'],
    alter: outliveExpiresIn,
  },
  {
    name: 'later-access-tokens-outlive-expires-in-with-many-keys',
    summary:
      'Gives the signing key a new `kid` with each access token, and makes the access tokens of each code exchange except the first valid for two hours longer than `expires_in`.',
    violates: ['ACCESSTOKEN-LATER'],
    alter: (behaviour: Behaviour) => {
      outliveExpiresIn(behaviour)
      renameForEach(behaviour)
    },
  },
])
