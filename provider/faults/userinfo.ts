import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editResponse, editTokens } from '../edits.ts'
import { fieldsOf, type HttpRequest, jsonResponse } from '../http.ts'
import { endpointOf } from '../identity/paths.ts'

/** The bearer credential of a request. */
export function bearerCredentialOf({ headers }: HttpRequest): string | undefined {
  return /^bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]
}

function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
}

function signedPart(token: string): string {
  return token.slice(0, Math.max(0, token.lastIndexOf('.')))
}

/** The signed parts and the signatures of all issued access tokens. The sets grow with each token. */
function issuedTokens(behaviour: Behaviour): { signed: Set<string>; signatures: Set<string> } {
  const issued = { signed: new Set<string>(), signatures: new Set<string>() }
  editTokens(({ access_token: token }) => {
    issued.signed.add(signedPart(String(token)))
    issued.signatures.add(String(token).slice(String(token).lastIndexOf('.') + 1))
  })(behaviour)
  return issued
}

export const userinfoFaults = withSurface('userinfo', [
  {
    name: 'userinfo-cached-without-token',
    summary: 'Returns the claims of the previous user for a UserInfo request without a token.',
    violates: ['USERINFO-TOKEN-REQUIRED'],
    alter: ({ idp }: Behaviour) => {
      let last: unknown
      idp.responses.userinfo.push((response, request) => {
        if (response.status === 200) last = response.body
        else if (bearerCredentialOf(request) === undefined && last)
          Object.assign(response, jsonResponse(200, last))
      })
    },
  },
  {
    name: 'userinfo-malformed-token-with-400',
    summary: 'Returns 400 instead of 401 for a token that is not a JWT.',
    violates: ['USERINFO-MALFORMED-TOKEN-ERROR'],
    alter: editResponse('userinfo', (response, request) => {
      const token = bearerCredentialOf(request)
      if (response.status === 401 && token !== undefined && !token.includes('.')) response.status = 400
    }),
  },
  {
    name: 'userinfo-malformed-token-without-challenge',
    summary: 'Omits `WWW-Authenticate` from the refusal of a token that is not a JWT.',
    violates: ['USERINFO-CHALLENGE'],
    alter: editResponse('userinfo', (response, request) => {
      const token = bearerCredentialOf(request)
      if (token !== undefined && !isJwt(token)) delete response.headers['www-authenticate']
    }),
  },
  {
    name: 'userinfo-signature-not-checked',
    summary: 'Accepts an access token with an altered signature at UserInfo.',
    violates: ['USERINFO-TAMPERED-TOKEN'],
    alter: (behaviour: Behaviour) => {
      const issued = issuedTokens(behaviour)
      behaviour.idp.accessTokenAccepted = (input) => issued.signed.has(input)
    },
  },
  {
    name: 'userinfo-tampered-token-error-renamed',
    summary: 'Returns `invalid_request` in the challenge for an access token with an altered signature.',
    violates: ['USERINFO-CHALLENGE-ERROR'],
    alter: editResponse('userinfo', (response, request) => {
      const challenge = response.headers['www-authenticate']
      if (!challenge || !isJwt(bearerCredentialOf(request) ?? '')) return
      response.headers['www-authenticate'] = String(challenge).replace('"invalid_token"', '"invalid_request"')
    }),
  },
  {
    name: 'userinfo-tampered-token-with-403',
    summary: 'Returns 403 instead of 401 for an access token with an altered signature.',
    violates: ['USERINFO-TAMPERED-TOKEN-ERROR'],
    alter: (behaviour: Behaviour) => {
      const issued = issuedTokens(behaviour)
      behaviour.idp.responses.userinfo.push((response, request) => {
        const token = bearerCredentialOf(request) ?? ''
        // An issued token with another signature.
        if (response.status === 401 && issued.signed.has(signedPart(token))) response.status = 403
      })
    },
  },
  {
    name: 'userinfo-claims-not-covered',
    summary: 'Accepts altered claims at UserInfo: it compares only the signature part with issued tokens.',
    violates: ['USERINFO-ALTERED-CLAIMS'],
    alter: (behaviour: Behaviour) => {
      const issued = issuedTokens(behaviour)
      const { accessTokenAccepted } = behaviour.idp
      behaviour.idp.accessTokenAccepted = (input, signature, keys) =>
        issued.signatures.has(signature) || accessTokenAccepted(input, signature, keys)
    },
  },
  {
    name: 'userinfo-altered-claims-with-400',
    summary: 'Returns 400 instead of 401 for an access token with altered claims.',
    violates: ['USERINFO-ALTERED-CLAIMS-ERROR'],
    alter: (behaviour: Behaviour) => {
      const issued = issuedTokens(behaviour)
      behaviour.idp.responses.userinfo.push((response, request) => {
        const token = bearerCredentialOf(request) ?? ''
        const known = issued.signatures.has(token.slice(token.lastIndexOf('.') + 1))
        if (response.status === 401 && known) response.status = 400
      })
    },
  },
  {
    name: 'userinfo-unsigned-token-accepted',
    summary: 'Accepts an access token with `alg` none and no signature at UserInfo.',
    violates: ['USERINFO-UNSIGNED-TOKEN'],
    alter: ({ idp }: Behaviour) =>
      idp.interceptors.push((request) => {
        const token = bearerCredentialOf(request)
        if (endpointOf(request.path) !== 'userinfo' || !token?.endsWith('.')) return undefined
        const header = Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()
        return header.includes('"none"') ? jsonResponse(200, { sub: 'somebody' }) : undefined
      }),
  },
  {
    name: 'userinfo-unsigned-token-with-400',
    summary: 'Returns 400 instead of 401 for an access token without a signature.',
    violates: ['USERINFO-UNSIGNED-TOKEN-ERROR'],
    alter: editResponse('userinfo', (response, request) => {
      if (response.status === 401 && bearerCredentialOf(request)?.endsWith('.')) response.status = 400
    }),
  },
  {
    name: 'userinfo-bad-tokens-with-403',
    summary: 'Refuses every invalid access token with 403 `invalid_token`.',
    // Several checks find this common cause, but only the first of them reports it.
    violates: ['USERINFO-MALFORMED-TOKEN-ERROR'],
    alter: editResponse('userinfo', (response, request) => {
      if (response.status === 401 && bearerCredentialOf(request) !== undefined) response.status = 403
    }),
  },
  {
    name: 'userinfo-challenge-token-not-valid',
    summary: 'Returns the error `token_not_valid` in the challenge for a refused access token.',
    violates: ['USERINFO-CHALLENGE-ERROR'],
    alter: editResponse('userinfo', (response) => {
      const challenge = response.headers['www-authenticate']
      if (challenge)
        response.headers['www-authenticate'] = String(challenge).replace(
          '"invalid_token"',
          '"token_not_valid"',
        )
    }),
  },
  {
    name: 'userinfo-refusal-with-claims',
    summary: 'Returns the claims of the previous user with the refusal of an access token.',
    violates: ['USERINFO-REFUSED-CLAIMS'],
    alter: ({ idp }: Behaviour) => {
      let last: object = {}
      idp.responses.userinfo.push((response, request) => {
        if (response.status === 200) last = fieldsOf(response) ?? {}
        else if (bearerCredentialOf(request) !== undefined)
          response.body = { ...fieldsOf(response), details: { user: last } }
      })
    },
  },
  {
    name: 'userinfo-refusal-page-with-subject',
    summary: 'Refuses an access token with a page that contains the `sub` of the previous user.',
    violates: ['USERINFO-REFUSED-CLAIMS'],
    alter: ({ idp }: Behaviour) => {
      let last: unknown
      idp.responses.userinfo.push((response, request) => {
        if (response.status === 200) last = fieldsOf(response)?.sub
        else if (bearerCredentialOf(request) !== undefined) {
          response.headers['content-type'] = 'text/html'
          response.body = `<!doctype html><title>Refused</title><p>${last}</p>`
        }
      })
    },
  },
  {
    name: 'userinfo-without-token-401-with-subject',
    summary: 'Returns 401 with a `sub` in the body for a request without a token.',
    violates: ['USERINFO-TOKEN-REQUIRED'],
    alter: editResponse('userinfo', (response, request) => {
      if (response.status >= 400 && bearerCredentialOf(request) === undefined)
        response.body = { ...fieldsOf(response), sub: 'somebody' }
    }),
  },
  {
    name: 'userinfo-challenge-insufficient-scope',
    summary: 'Returns `insufficient_scope` in the challenge for a refused access token, with status 401.',
    violates: ['USERINFO-CHALLENGE-ERROR'],
    alter: editResponse('userinfo', (response) => {
      const challenge = response.headers['www-authenticate']
      if (challenge)
        response.headers['www-authenticate'] = String(challenge).replace(
          '"invalid_token"',
          '"insufficient_scope"',
        )
    }),
  },
  {
    name: 'userinfo-challenges-in-realm',
    summary: 'Sends a Basic challenge whose realm quotes the Bearer challenge.',
    violates: ['USERINFO-CHALLENGE'],
    alter: editResponse('userinfo', (response) => {
      if (response.headers['www-authenticate'])
        response.headers['www-authenticate'] = 'Basic realm="Bearer error=invalid_token"'
    }),
  },
  {
    name: 'userinfo-challenge-without-error',
    summary: 'Omits the error from the challenge for a refused access token.',
    violates: ['USERINFO-CHALLENGE-ERROR'],
    alter: editResponse('userinfo', (response) => {
      if (response.headers['www-authenticate'])
        response.headers['www-authenticate'] = 'Bearer realm="partners"'
    }),
  },
  {
    name: 'userinfo-accepts-any-credential',
    summary: 'Returns an empty object from UserInfo for a credential that is not a JWT.',
    violates: ['USERINFO-MALFORMED-TOKEN'],
    alter: editResponse('userinfo', (response, request) => {
      const token = bearerCredentialOf(request)
      if (token !== undefined && !isJwt(token) && !token.endsWith('.'))
        Object.assign(response, jsonResponse(200, {}))
    }),
  },
])
