import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editTokenErrors, type Fields, grantType } from '../edits.ts'
import type { HttpRequest, HttpResponse } from '../http.ts'
import { callbackOf } from '../identity/responses.ts'
import { challengeOf } from '../pkce.ts'
import { editRefusalOfUnknown, unusableTokens } from './token-edits.ts'

/** Edits the error of the second exchange of a code. */
export function editReplay(edit: (fields: Fields, request: HttpRequest) => void): Alter {
  return (behaviour) => {
    const used = new WeakSet<HttpRequest>()
    behaviour.idp.presentedCodes.push((code, request) => {
      if (code.consumed) used.add(request)
    })
    editTokenErrors((fields, request) => {
      if (used.has(request)) edit(fields, request)
    })(behaviour)
  }
}

/** Edits the refusal of a code that was never issued. */
function editUnknownCode(edit: (response: HttpResponse) => void): Alter {
  return (behaviour) => {
    const issued = new Set<string>()
    behaviour.idp.responses.authorization.push((response, request) => {
      const code = callbackOf(response, request)?.searchParams.get('code')
      if (code) issued.add(code)
    })
    editRefusalOfUnknown('code', issued, edit)(behaviour)
  }
}

export const tokenCodeFaults = withSurface('token', [
  {
    name: 'code-replay-accepted',
    summary: 'Accepts a code any number of times until it expires.',
    violates: ['TOKEN-CODE-SINGLE-USE'],
    alter: ({ idp }: Behaviour) => {
      idp.reusable = (model) => model === 'AuthorizationCode'
    },
  },
  {
    name: 'code-replay-accepted-briefly',
    summary: 'Accepts a code again within two seconds of its first use.',
    violates: ['TOKEN-CODE-SINGLE-USE'],
    alter: ({ idp }: Behaviour) => {
      idp.reusable = (model, usedMillisecondsAgo) =>
        model === 'AuthorizationCode' && usedMillisecondsAgo <= 2000
    },
  },
  {
    name: 'code-replay-as-invalid-request',
    summary: 'Returns the error `invalid_request` for the second exchange of a code.',
    violates: ['TOKEN-CODE-SINGLE-USE-ERROR'],
    alter: editReplay((fields) => {
      fields.error = 'invalid_request'
    }),
  },
  {
    name: 'code-replay-as-code-already-used',
    summary: 'Returns the error `code_already_used` for the second exchange of a code.',
    violates: ['TOKEN-CODE-SINGLE-USE-ERROR'],
    alter: editReplay((fields) => {
      fields.error = 'code_already_used'
    }),
  },
  {
    name: 'expired-code-as-code-expired',
    summary: 'Returns the error `code_expired` for an expired code.',
    violates: ['TOKEN-CODE-EXPIRED'],
    variants: ['short-lived-codes'],
    alter: (behaviour: Behaviour) => {
      const issuedAt = new Map<unknown, number>()
      behaviour.idp.responses.authorization.push((response, request) => {
        issuedAt.set(callbackOf(response, request)?.searchParams.get('code'), Date.now())
      })
      editTokenErrors((fields, { form }) => {
        const age = Date.now() - (issuedAt.get(form?.get('code')) ?? Date.now())
        const isExpired = fields.error === 'invalid_grant' && age >= behaviour.idp.codeLifetime * 1000
        if (isExpired) fields.error = 'code_expired'
      })(behaviour)
    },
  },
  {
    name: 'verifier-ignored',
    summary: 'Requires a code verifier but does not compare it with the challenge.',
    violates: ['TOKEN-VERIFIER-WRONG'],
    alter: ({ idp }: Behaviour) => {
      idp.presentedCodes.push((code, { form }) => {
        const verifier = form?.get('code_verifier')
        code.codeChallenge = verifier ? challengeOf(verifier) : undefined
      })
    },
  },
  {
    name: 'verifier-compared-by-length',
    summary: 'Accepts any code verifier of 43 characters.',
    violates: ['TOKEN-VERIFIER-WRONG'],
    alter: ({ idp }: Behaviour) => {
      idp.presentedCodes.push((code, { form }) => {
        const verifier = form?.get('code_verifier') ?? ''
        // The challenge has the same length, but is not accepted as a verifier.
        if (verifier.length !== 43 || verifier === code.codeChallenge) return
        code.codeChallenge = challengeOf(verifier)
      })
    },
  },
  {
    name: 'verifier-compared-plainly',
    summary: 'Accepts the code challenge as code verifier, as well as the correct verifier.',
    violates: ['TOKEN-VERIFIER-PLAIN'],
    alter: ({ idp }: Behaviour) =>
      idp.presentedCodes.push((code, { form }) => {
        const verifier = form?.get('code_verifier') ?? ''
        if (verifier === code.codeChallenge) code.codeChallenge = challengeOf(verifier)
      }),
  },
  {
    name: 'verifier-cut-to-64-characters',
    summary: 'Compares the hash of only the first 64 characters of a code verifier with the challenge.',
    violates: ['TOKEN-CODE-EXCHANGE'],
    alter: ({ idp }: Behaviour) =>
      idp.presentedCodes.push((code, { form }) => {
        const verifier = form?.get('code_verifier') ?? ''
        if (verifier.length <= 64) return
        const cut = challengeOf(verifier.slice(0, 64))
        code.codeChallenge = cut === code.codeChallenge ? challengeOf(verifier) : cut
      }),
  },
  {
    name: 'verifier-checked-only-when-sent',
    summary: 'Accepts a code exchange without a code verifier, but refuses a wrong verifier.',
    violates: ['TOKEN-VERIFIER-MISSING'],
    alter: ({ idp }: Behaviour) => {
      idp.requiredExchangeParameters.delete('code_verifier')
      idp.presentedCodes.push((code, { form }) => {
        if (!form?.get('code_verifier')) code.codeChallenge = undefined
      })
    },
  },
  {
    name: 'empty-verifier-accepted',
    summary: 'Accepts a code exchange with an empty code verifier, but refuses one without a verifier.',
    violates: ['TOKEN-VERIFIER-MISSING'],
    alter: ({ idp }: Behaviour) => {
      idp.requiredExchangeParameters.delete('code_verifier')
      idp.presentedCodes.push((code, { form }) => {
        if (form?.get('code_verifier') === '') code.codeChallenge = undefined
      })
    },
  },
  {
    name: 'code-of-another-client-accepted',
    summary: 'Accepts a code from a client to which it was not issued.',
    violates: ['TOKEN-CODE-OTHER-CLIENT'],
    alter: ({ idp }: Behaviour) => {
      const adopt = (record: { clientId?: string }, request: HttpRequest) => {
        if (grantType(request) === 'authorization_code' && request.client) record.clientId = request.client
      }
      idp.presentedCodes.push(adopt)
      idp.grantFound.push(adopt)
    },
  },
  {
    name: 'unknown-code-accepted',
    summary: 'Returns an access token for a code that was never issued.',
    violates: ['TOKEN-CODE-UNKNOWN'],
    alter: editUnknownCode((response) => {
      Object.assign(response, unusableTokens())
    }),
  },
  {
    name: 'unknown-code-refused-with-401',
    summary: 'Returns 401 `invalid_grant` for a code that was never issued.',
    violates: ['TOKEN-ERROR-STATUS'],
    alter: editUnknownCode((response) => {
      response.status = 401
    }),
  },
  {
    name: 'wrong-verifier-refused-with-401',
    summary: 'Returns 401 `invalid_grant` for a wrong verifier.',
    violates: ['TOKEN-ERROR-STATUS'],
    alter: (behaviour: Behaviour) => {
      const wrong = new WeakSet<HttpRequest>()
      behaviour.idp.presentedCodes.push(({ codeChallenge }, request) => {
        const verifier = request.form?.get('code_verifier')
        if (verifier && challengeOf(verifier) !== codeChallenge) wrong.add(request)
      })
      editTokenErrors(({ error }, request, response) => {
        if (error === 'invalid_grant' && wrong.has(request)) response.status = 401
      })(behaviour)
    },
  },
])
