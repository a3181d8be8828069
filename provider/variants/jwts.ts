import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { SECOND_FACTOR_LEVEL } from '../deployment.ts'

/** Lawful claims and headers of ID tokens and access tokens. */
export const jwtVariants = withSurface('jwt', [
  {
    name: 'id-token-audience-list',
    summary: 'Writes the `aud` of ID tokens as an array with the application as its only element.',
    concerns: ['IDTOKEN-AUDIENCE'],
    unspecified: 'aud may be a string or a list (RFC 7519 section 4.1.3).',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        claims.aud = [claims.aud]
      }),
  },
  {
    name: 'id-token-two-audiences',
    summary: 'Lists the application and another party in the `aud` of ID tokens; `azp` is the application.',
    concerns: ['IDTOKEN-AUDIENCE', 'IDTOKEN-AZP', 'IDTOKEN-AZP-SEVERAL'],
    unspecified: 'aud may be a string or a list (RFC 7519 section 4.1.3).',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        claims.aud = ['urn:plumbline:userinfo', claims.aud]
      }),
  },
  {
    name: 'id-token-two-audiences-without-azp',
    summary: 'Issues ID tokens with two audiences and no `azp`.',
    concerns: ['IDTOKEN-AUDIENCE', 'IDTOKEN-AZP', 'IDTOKEN-AZP-SEVERAL', 'IDTOKEN-REFRESHED-AUDIENCE'],
    unspecified: 'Only OpenID Connect Core (section 2) recommends azp for several audiences.',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        claims.aud = [claims.aud, 'urn:plumbline:userinfo']
        delete claims.azp
      }),
  },
  {
    name: 'access-token-subject-of-its-own',
    summary: 'Identifies the user by different values of `sub` in access tokens and ID tokens.',
    concerns: ['SUBJECT-SAME', 'SUBJECT-STABLE', 'SUBJECT-STABLE-ACCESS-TOKEN', 'SUBJECT-AFTER-REFRESH'],
    unspecified: 'Whether both tokens have the same sub is not specified.',
    alter: ({ idp }: Behaviour) =>
      idp.accessToken.push(({ claims }) => {
        claims.sub = `account-${claims.sub}`
      }),
  },
  {
    name: 'id-token-without-azp',
    summary: 'Omits `azp` from ID tokens with one audience.',
    concerns: ['IDTOKEN-AZP', 'IDTOKEN-AZP-SEVERAL'],
    unspecified: 'Whether azp is always present is not specified.',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        delete claims.azp
      }),
  },
  {
    name: 'id-token-acr-above',
    summary: 'Issues ID tokens with a stronger level than requested as their `acr`.',
    concerns: ['IDTOKEN-ACR'],
    unspecified: 'acr must not be weaker than the requested level, but may be stronger.',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        claims.acr = SECOND_FACTOR_LEVEL
      }),
  },
  {
    name: 'id-token-short-lived',
    summary: 'Issues ID tokens that are valid for 30 s.',
    concerns: ['IDTOKEN-EXPIRY', 'IDTOKEN-EXPIRY-SECONDS'],
    unspecified: 'The lifetime of ID tokens is not specified.',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        claims.exp = Number(claims.iat) + 30
      }),
  },
  {
    name: 'id-token-of-a-clock-behind',
    summary: 'Issues ID tokens by a clock that is 40 s behind, with a lifetime of 10 s.',
    concerns: ['IDTOKEN-EXPIRY', 'IDTOKEN-LATER'],
    unspecified:
      'Clients allow 60 s of clock skew, and the accuracy of the clocks of a target is not specified.',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        const issuedAt = Number(claims.iat) - 40
        Object.assign(claims, { iat: issuedAt, exp: issuedAt + 10 })
      }),
  },
  {
    name: 'tokens-valid-five-minutes-later',
    summary: 'Writes into tokens an `nbf` that is five minutes after their issue.',
    concerns: ['IDTOKEN-EXPIRY', 'ACCESSTOKEN-EXPIRY', 'IDTOKEN-SIGNATURE', 'ACCESSTOKEN-SIGNATURE'],
    unspecified: 'The rules on ID tokens do not contain `nbf`.',
    alter: ({ idp }: Behaviour) => {
      for (const edits of [idp.idToken, idp.accessToken])
        edits.push(({ claims }) => {
          claims.nbf = Math.floor(Date.now() / 1000) + 300
        })
    },
  },
  {
    name: 'id-token-extra-claims',
    summary: 'Adds undocumented claims to ID tokens.',
    concerns: ['IDTOKEN-CLAIMS'],
    unspecified: 'Additional claims of ID tokens are not excluded.',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        Object.assign(claims, {
          amr: ['pwd'],
          nbf: claims.iat,
          sphere: 'north',
          'urn:plumbline:extra': { a: [1] },
        })
      }),
  },
  {
    name: 'access-token-for-resources',
    summary: 'Lists resource servers instead of the application in the `aud` of access tokens.',
    concerns: ['ACCESSTOKEN-AUDIENCE', 'ACCESSTOKEN-REFRESHED-AUDIENCE'],
    unspecified: 'The audience of access tokens is not specified.',
    alter: ({ idp }: Behaviour) =>
      idp.accessToken.push(({ claims }) => {
        claims.aud = [`${claims.iss}/resources`, 'urn:plumbline:userinfo']
      }),
  },
  {
    name: 'access-token-typ-jwt',
    summary: 'Writes JWT as `typ` into the header of access tokens.',
    concerns: ['ACCESSTOKEN-JWT', 'ACCESSTOKEN-REFRESHED-SIGNATURE', 'ACCESSTOKEN-REFRESHED-ISSUER'],
    unspecified: 'The typ header is not specified.',
    alter: ({ idp }: Behaviour) =>
      idp.accessToken.push(({ header }) => {
        header.typ = 'JWT'
      }),
  },
])
