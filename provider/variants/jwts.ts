import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { SECOND_FACTOR_LEVEL } from '../deployment.ts'

/** Lawful claims and headers of ID tokens and access tokens. */
export const jwtVariants = withSurface('jwt', [
  {
    name: 'id-token-audience-list',
    summary: 'The aud of ID tokens is a list with the application as its only element.',
    concerns: ['IDTOKEN-AUDIENCE'],
    ambiguity: 'aud may be a string or a list (RFC 7519 section 4.1.3).',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        claims.aud = [claims.aud]
      }),
  },
  {
    name: 'id-token-two-audiences',
    summary: 'The aud of ID tokens lists the application and another party; azp names the application.',
    concerns: ['IDTOKEN-AUDIENCE', 'IDTOKEN-AZP', 'IDTOKEN-AZP-SEVERAL'],
    ambiguity: 'aud may be a string or a list (RFC 7519 section 4.1.3).',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        claims.aud = ['urn:plumbline:userinfo', claims.aud]
      }),
  },
  {
    name: 'id-token-two-audiences-without-azp',
    summary: 'ID tokens have two audiences and no azp.',
    concerns: ['IDTOKEN-AUDIENCE', 'IDTOKEN-AZP', 'IDTOKEN-AZP-SEVERAL', 'IDTOKEN-REFRESHED-AUDIENCE'],
    ambiguity: 'Only OpenID Connect Core (section 2) recommends azp beside several audiences.',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        claims.aud = [claims.aud, 'urn:plumbline:userinfo']
        delete claims.azp
      }),
  },
  {
    name: 'access-token-subject-of-its-own',
    summary: 'The sub of access tokens is another identifier of the user than that of ID tokens.',
    concerns: ['SUBJECT-SAME', 'SUBJECT-STABLE', 'SUBJECT-STABLE-ACCESS-TOKEN', 'SUBJECT-AFTER-REFRESH'],
    ambiguity: 'Whether both tokens have the same sub is not specified.',
    alter: ({ idp }: Behaviour) =>
      idp.accessToken.push(({ claims }) => {
        claims.sub = `account-${claims.sub}`
      }),
  },
  {
    name: 'id-token-without-azp',
    summary: 'ID tokens with one audience have no azp.',
    concerns: ['IDTOKEN-AZP', 'IDTOKEN-AZP-SEVERAL'],
    ambiguity: 'Whether azp is always present is not specified.',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        delete claims.azp
      }),
  },
  {
    name: 'id-token-acr-above',
    summary: 'The acr of ID tokens is a stronger level than the requested one.',
    concerns: ['IDTOKEN-ACR'],
    ambiguity: 'acr must not be weaker than the requested level, and a stronger one is not.',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        claims.acr = SECOND_FACTOR_LEVEL
      }),
  },
  {
    name: 'id-token-short-lived',
    summary: 'ID tokens are valid for 30 seconds.',
    concerns: ['IDTOKEN-EXPIRY', 'IDTOKEN-EXPIRY-SECONDS'],
    ambiguity: 'The lifetime of ID tokens is not specified.',
    alter: ({ idp }: Behaviour) =>
      idp.idToken.push(({ claims }) => {
        claims.exp = Number(claims.iat) + 30
      }),
  },
  {
    name: 'id-token-extra-claims',
    summary: 'ID tokens have claims beyond the documented ones.',
    concerns: ['IDTOKEN-CLAIMS'],
    ambiguity: 'Additional claims of ID tokens are not excluded.',
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
    summary: 'The aud of access tokens lists resource servers instead of the application.',
    concerns: ['ACCESSTOKEN-AUDIENCE', 'ACCESSTOKEN-REFRESHED-AUDIENCE'],
    ambiguity: 'The audience of access tokens is not specified.',
    alter: ({ idp }: Behaviour) =>
      idp.accessToken.push(({ claims }) => {
        claims.aud = [`${claims.iss}/resources`, 'urn:plumbline:userinfo']
      }),
  },
  {
    name: 'access-token-typ-jwt',
    summary: 'The header of access tokens has typ JWT.',
    concerns: ['ACCESSTOKEN-JWT', 'ACCESSTOKEN-REFRESHED-SIGNATURE', 'ACCESSTOKEN-REFRESHED-ISSUER'],
    ambiguity: 'The typ header is not specified.',
    alter: ({ idp }: Behaviour) =>
      idp.accessToken.push(({ header }) => {
        header.typ = 'JWT'
      }),
  },
])
