import { type Behaviour, withFace } from '../behaviour.ts'
import { fieldsOf, jsonAnswer, type Received } from '../http.ts'
import { endpointOf } from '../identity/paths.ts'
import { onSuccess } from './token-steps.ts'

function presented({ headers }: Received): string | undefined {
  return /^bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]
}

function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
}

function signedPart(token: string): string {
  return token.slice(0, Math.max(0, token.lastIndexOf('.')))
}

/** The access tokens that went out: what was signed, and the signatures. */
function issuedTokens(behaviour: Behaviour): { signed: Set<string>; signatures: Set<string> } {
  const issued = { signed: new Set<string>(), signatures: new Set<string>() }
  onSuccess(behaviour, ({ access_token: token }) => {
    issued.signed.add(signedPart(String(token)))
    issued.signatures.add(String(token).slice(String(token).lastIndexOf('.') + 1))
  })
  return issued
}

const SAID_LIFETIME = 3

/** Access tokens and their expires_in speak of a few seconds; the record behind them lives on. */
export function sayShortLifetime(behaviour: Behaviour): void {
  behaviour.idp.accessToken.push(({ claims }) => {
    claims.exp = Number(claims.iat) + SAID_LIFETIME
  })
  onSuccess(behaviour, (fields) => {
    fields.expires_in = SAID_LIFETIME
  })
}

export const userinfoFaults = withFace('userinfo', [
  {
    name: 'userinfo-refuses-good-token',
    summary: 'UserInfo refuses a good access token with 403.',
    violates: ['USERINFO-BEARER'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.userinfo.push((answer) => {
        if (answer.status !== 200) return
        Object.assign(
          answer,
          jsonAnswer(403, { error: 'insufficient_scope', error_description: 'Not allowed.' }),
        )
      }),
  },
  {
    name: 'userinfo-as-204',
    summary: 'UserInfo answers a good access token with 204 and no body.',
    violates: ['USERINFO-BEARER'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.userinfo.push((answer) => {
        if (answer.status === 200) Object.assign(answer, { status: 204, headers: {}, body: '' })
      }),
  },
  {
    name: 'userinfo-cached-without-token',
    summary: 'A request without a token gets the claims of the user who asked last.',
    violates: ['USERINFO-TOKEN-REQUIRED'],
    alter: ({ idp }: Behaviour) => {
      let last: unknown
      idp.answers.userinfo.push((answer, received) => {
        if (answer.status === 200) last = answer.body
        else if (presented(received) === undefined && last) Object.assign(answer, jsonAnswer(200, last))
      })
    },
  },
  {
    name: 'userinfo-malformed-token-with-400',
    summary: 'A token that is no JWT is refused with 400 instead of 401.',
    violates: ['USERINFO-MALFORMED-TOKEN'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.userinfo.push((answer, received) => {
        const token = presented(received)
        if (answer.status === 401 && token !== undefined && !token.includes('.')) answer.status = 400
      }),
  },
  {
    name: 'userinfo-malformed-token-without-challenge',
    summary: 'A token that is no JWT is refused without a WWW-Authenticate header.',
    violates: ['USERINFO-CHALLENGE'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.userinfo.push((answer, received) => {
        const token = presented(received)
        if (token !== undefined && !isJwt(token)) delete answer.headers['www-authenticate']
      }),
  },
  {
    name: 'userinfo-signature-not-checked',
    summary: 'UserInfo accepts an access token whose signature was altered.',
    violates: ['USERINFO-TAMPERED-TOKEN'],
    alter: (behaviour: Behaviour) => {
      const issued = issuedTokens(behaviour)
      behaviour.idp.accessTokenAccepted = (input) => issued.signed.has(input)
    },
  },
  {
    name: 'userinfo-tampered-token-error-renamed',
    summary: 'The challenge to an altered access token names invalid_request.',
    violates: ['USERINFO-CHALLENGE-ERROR'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.userinfo.push((answer, received) => {
        const challenge = answer.headers['www-authenticate']
        if (!challenge || !isJwt(presented(received) ?? '')) return
        answer.headers['www-authenticate'] = String(challenge).replace('"invalid_token"', '"invalid_request"')
      }),
  },
  {
    name: 'userinfo-tampered-token-with-403',
    summary: 'An access token with an altered signature is refused with 403 instead of 401.',
    violates: ['USERINFO-TAMPERED-TOKEN'],
    alter: (behaviour: Behaviour) => {
      const issued = issuedTokens(behaviour)
      behaviour.idp.answers.userinfo.push((answer, received) => {
        const token = presented(received) ?? ''
        // Known but for its last part.
        if (answer.status === 401 && issued.signed.has(signedPart(token))) answer.status = 403
      })
    },
  },
  {
    name: 'userinfo-claims-not-covered',
    summary: 'UserInfo knows access tokens by their signature, whatever claims stand before it.',
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
    summary: 'An access token whose claims were altered is refused with 400 instead of 401.',
    violates: ['USERINFO-ALTERED-CLAIMS'],
    alter: (behaviour: Behaviour) => {
      const issued = issuedTokens(behaviour)
      behaviour.idp.answers.userinfo.push((answer, received) => {
        const token = presented(received) ?? ''
        const known = issued.signatures.has(token.slice(token.lastIndexOf('.') + 1))
        if (answer.status === 401 && known) answer.status = 400
      })
    },
  },
  {
    name: 'userinfo-unsigned-token-accepted',
    summary: 'UserInfo accepts an access token of alg none without a signature.',
    violates: ['USERINFO-UNSIGNED-TOKEN'],
    alter: ({ idp }: Behaviour) =>
      idp.admission.push((received) => {
        const token = presented(received)
        if (endpointOf(received.path) !== 'userinfo' || !token?.endsWith('.')) return undefined
        const header = Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()
        return header.includes('"none"') ? jsonAnswer(200, { sub: 'somebody' }) : undefined
      }),
  },
  {
    name: 'userinfo-unsigned-token-with-400',
    summary: 'An access token without a signature is refused with 400 instead of 401.',
    violates: ['USERINFO-UNSIGNED-TOKEN'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.userinfo.push((answer, received) => {
        if (answer.status === 401 && presented(received)?.endsWith('.')) answer.status = 400
      }),
  },
  {
    name: 'userinfo-refusal-with-claims',
    summary: 'The refusal of an access token holds the claims of the user who asked last.',
    violates: ['USERINFO-REFUSED-CLAIMS'],
    alter: ({ idp }: Behaviour) => {
      let last: object = {}
      idp.answers.userinfo.push((answer, received) => {
        if (answer.status === 200) last = fieldsOf(answer) ?? {}
        else if (presented(received) !== undefined)
          answer.body = { ...fieldsOf(answer), details: { user: last } }
      })
    },
  },
  {
    name: 'userinfo-without-token-401-with-subject',
    summary: 'A request without a token is refused with 401, and the body says who is meant.',
    violates: ['USERINFO-TOKEN-REQUIRED'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.userinfo.push((answer, received) => {
        if (answer.status >= 400 && presented(received) === undefined)
          answer.body = { ...fieldsOf(answer), sub: 'somebody' }
      }),
  },
  {
    name: 'userinfo-challenge-insufficient-scope',
    summary: 'The challenge to a refused access token names insufficient_scope, with status 401.',
    violates: ['USERINFO-CHALLENGE-ERROR'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.userinfo.push((answer) => {
        const challenge = answer.headers['www-authenticate']
        if (challenge)
          answer.headers['www-authenticate'] = String(challenge).replace(
            '"invalid_token"',
            '"insufficient_scope"',
          )
      }),
  },
  {
    name: 'userinfo-challenges-in-realm',
    summary: 'WWW-Authenticate holds a Basic challenge, in whose realm the Bearer challenge is quoted.',
    violates: ['USERINFO-CHALLENGE'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.userinfo.push((answer) => {
        if (answer.headers['www-authenticate'])
          answer.headers['www-authenticate'] = 'Basic realm="Bearer error=invalid_token"'
      }),
  },
  {
    name: 'userinfo-challenge-without-error',
    summary: 'The challenge to a refused access token names no error.',
    violates: ['USERINFO-CHALLENGE-ERROR'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.userinfo.push((answer) => {
        if (answer.headers['www-authenticate']) answer.headers['www-authenticate'] = 'Bearer realm="partners"'
      }),
  },
  {
    name: 'expired-access-token-accepted',
    summary: 'Access tokens are said to live for three seconds, and UserInfo accepts them for longer.',
    violates: ['USERINFO-EXPIRED-TOKEN'],
    alter: (behaviour: Behaviour) => sayShortLifetime(behaviour),
  },
])
