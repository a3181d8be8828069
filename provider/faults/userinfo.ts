import { type Behaviour, withFace } from '../behaviour.ts'
import { jsonAnswer, type Received } from '../http.ts'

function presented({ headers }: Received): string | undefined {
  return /^bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]
}

function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
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
        if (answer.status === 401 && token !== undefined && !isJwt(token)) answer.status = 400
      }),
  },
  {
    name: 'userinfo-malformed-token-without-challenge',
    summary: 'A token that is no JWT is refused without a WWW-Authenticate header.',
    violates: ['USERINFO-MALFORMED-TOKEN'],
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
    alter: ({ idp }: Behaviour) => {
      idp.accessTokenAccepted = () => true
    },
  },
  {
    name: 'userinfo-tampered-token-error-renamed',
    summary: 'The challenge to an altered access token names invalid_request.',
    violates: ['USERINFO-TAMPERED-TOKEN'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.userinfo.push((answer, received) => {
        const challenge = answer.headers['www-authenticate']
        if (!challenge || !isJwt(presented(received) ?? '')) return
        answer.headers['www-authenticate'] = String(challenge).replace('"invalid_token"', '"invalid_request"')
      }),
  },
])
