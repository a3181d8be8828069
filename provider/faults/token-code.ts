import { createHash } from 'node:crypto'
import { type Behaviour, withFace } from '../behaviour.ts'
import type { Received } from '../http.ts'
import { callbackOf } from '../identity/answers.ts'
import { grantType, onError, tokensForNobody } from './token-steps.ts'

export const tokenCodeFaults = withFace('token', [
  {
    name: 'code-replay-accepted',
    summary: 'A code can be exchanged any number of times while it lives.',
    violates: ['TOKEN-CODE-SINGLE-USE'],
    alter: ({ idp }: Behaviour) => {
      idp.reusable = (model) => model === 'AuthorizationCode'
    },
  },
  {
    name: 'code-replay-accepted-briefly',
    summary: 'A code can be exchanged again within two seconds of its first use.',
    violates: ['TOKEN-CODE-SINGLE-USE'],
    alter: ({ idp }: Behaviour) => {
      idp.reusable = (model, usedMillisecondsAgo) =>
        model === 'AuthorizationCode' && usedMillisecondsAgo <= 2000
    },
  },
  {
    name: 'verifier-ignored',
    summary: 'The code verifier is not compared with the challenge, but has to be there.',
    violates: ['TOKEN-VERIFIER-WRONG'],
    alter: ({ idp }: Behaviour) => {
      idp.codeFound.push((found, { form }) => {
        const verifier = form?.get('code_verifier')
        found.codeChallenge = verifier ? createHash('sha256').update(verifier).digest('base64url') : undefined
      })
    },
  },
  {
    name: 'verifier-compared-by-length',
    summary: 'Any code verifier of 43 characters is good.',
    violates: ['TOKEN-VERIFIER-WRONG'],
    alter: ({ idp }: Behaviour) => {
      idp.codeFound.push((found, { form }) => {
        const verifier = form?.get('code_verifier') ?? ''
        // The challenge itself has that length too, and is not a verifier.
        if (verifier.length !== 43 || verifier === found.codeChallenge) return
        found.codeChallenge = createHash('sha256').update(verifier).digest('base64url')
      })
    },
  },
  {
    name: 'verifier-compared-plainly',
    summary: 'The code challenge itself is taken for a code verifier, beside the right one.',
    violates: ['TOKEN-VERIFIER-PLAIN'],
    alter: ({ idp }: Behaviour) =>
      idp.codeFound.push((found, { form }) => {
        const verifier = form?.get('code_verifier') ?? ''
        if (verifier === found.codeChallenge)
          found.codeChallenge = createHash('sha256').update(verifier).digest('base64url')
      }),
  },
  {
    name: 'exchange-redirect-uri-slash-ignored',
    summary: 'A slash at the end of the redirect URI makes no difference to a code exchange.',
    violates: ['TOKEN-REDIRECT-URI-TRAILING-SLASH'],
    alter: ({ idp }: Behaviour) =>
      idp.codeFound.push((found, { form }) => {
        const given = form?.get('redirect_uri') ?? ''
        if (given.replace(/\/$/, '') === found.redirectUri?.replace(/\/$/, '')) found.redirectUri = given
      }),
  },
  {
    name: 'exchange-redirect-uri-case-ignored',
    summary: 'The letter case of the redirect URI makes no difference to a code exchange.',
    violates: ['TOKEN-REDIRECT-URI-CASE'],
    alter: ({ idp }: Behaviour) =>
      idp.codeFound.push((found, { form }) => {
        const given = form?.get('redirect_uri') ?? ''
        if (given.toLowerCase() === found.redirectUri?.toLowerCase()) found.redirectUri = given
      }),
  },
  {
    name: 'verifier-checked-only-when-sent',
    summary: 'A code exchange without a code verifier succeeds; a wrong one is refused.',
    violates: ['TOKEN-VERIFIER-MISSING'],
    alter: ({ idp }: Behaviour) => {
      idp.requiredExchangeParameters.delete('code_verifier')
      idp.codeFound.push((found, { form }) => {
        if (!form?.get('code_verifier')) found.codeChallenge = undefined
      })
    },
  },
  {
    name: 'exchange-redirect-uri-ignored',
    summary: 'A code exchange with another redirect URI than the request had succeeds.',
    violates: ['TOKEN-REDIRECT-URI-MATCH'],
    alter: ({ idp }: Behaviour) =>
      idp.codeFound.push((found, { form }) => {
        found.redirectUri = form?.get('redirect_uri') ?? ''
      }),
  },
  {
    name: 'exchange-redirect-uri-by-prefix',
    summary: 'A code exchange succeeds when its redirect URI begins with that of the request.',
    violates: ['TOKEN-REDIRECT-URI-MATCH'],
    alter: ({ idp }: Behaviour) =>
      idp.codeFound.push((found, { form }) => {
        const given = form?.get('redirect_uri') ?? ''
        if (given.startsWith(found.redirectUri ?? '')) found.redirectUri = given
      }),
  },
  {
    name: 'exchange-redirect-uri-error-renamed',
    summary: 'A redirect URI that differs from the request is called invalid_request.',
    violates: ['TOKEN-REDIRECT-URI-MATCH'],
    alter: (behaviour: Behaviour) => {
      const differing = new WeakSet<Received>()
      behaviour.idp.codeFound.push((found, received) => {
        if (found.redirectUri !== received.form?.get('redirect_uri')) differing.add(received)
      })
      onError(behaviour, (fields, received) => {
        if (differing.has(received)) fields.error = 'invalid_request'
      })
    },
  },
  {
    name: 'code-of-another-client-accepted',
    summary: 'A client can exchange the code of another client.',
    violates: ['TOKEN-CODE-OTHER-CLIENT'],
    alter: ({ idp }: Behaviour) => {
      const adopt = (found: { clientId?: string }, received: Received) => {
        if (grantType(received) === 'authorization_code' && received.client) found.clientId = received.client
      }
      idp.codeFound.push(adopt)
      idp.grantFound.push(adopt)
    },
  },
  {
    name: 'unknown-code-accepted',
    summary: 'A code that was never issued brings an access token.',
    violates: ['TOKEN-CODE-UNKNOWN'],
    alter: (behaviour: Behaviour) => {
      const issued = new Set<string>()
      behaviour.idp.answers.authorization.push((answer, received) => {
        const code = callbackOf(answer, received)?.searchParams.get('code')
        if (code) issued.add(code)
      })
      onError(behaviour, (fields, { form }, answer) => {
        const code = form?.get('code')
        if (fields.error === 'invalid_grant' && code && !issued.has(code))
          Object.assign(answer, tokensForNobody())
      })
    },
  },
])
