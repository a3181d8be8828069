import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import {
  boxesTicked,
  cancelledByPicture,
  confirmation,
  consentWithBoxes,
  knownAccounts,
  passkeyFirst,
  staySignedIn,
  terms,
} from './pages-on-the-way.ts'

const common = {
  concerns: ['AUTHZ-CODE-FLOW', 'AUTHZ-USER-CANCEL', 'AUTHZ-CONSENT-REFUSED', 'AUTHZ-PROMPT-NONE-SESSION'],
  decided: ['AUTHZ-CODE-FLOW', 'AUTHZ-USER-CANCEL'],
  ambiguity: 'The pages between an authorization request and its code are not specified.',
}

/** Pages that real providers show between the login and the code. */
export const pageFlowVariants = withSurface('authorization', [
  {
    ...common,
    name: 'consent-with-boxes',
    summary: 'The consent page has a box for each scope to tick, and a second page confirms the choice.',
    decided: [...common.decided, 'AUTHZ-CONSENT-REFUSED'],
    alter: ({ idp }: Behaviour) => {
      idp.pages = consentWithBoxes
      idp.consentGiven = boxesTicked
      idp.afterConsent = confirmation
    },
  },
  {
    ...common,
    name: 'stay-signed-in',
    summary: 'After each login a page offers to keep the user signed in.',
    decided: [...common.decided, 'AUTHZ-CONSENT-REFUSED'],
    alter: ({ idp }: Behaviour) => {
      idp.afterLogin = staySignedIn
    },
  },
  {
    ...common,
    name: 'terms-to-accept',
    summary: 'After the first login the user has to accept terms of use.',
    decided: [...common.decided, 'AUTHZ-CONSENT-REFUSED'],
    alter: ({ idp }: Behaviour) => {
      idp.afterLogin = terms
    },
  },
  {
    ...common,
    name: 'continue-as',
    summary: 'In a session, a page asks before each authorization whether to continue with its account.',
    alter: ({ idp }: Behaviour) => {
      idp.pages = knownAccounts
    },
  },
  {
    ...common,
    name: 'passkey-first',
    summary:
      'The login page asks for a passkey and leads to the password, which has a link by e-mail beside it.',
    decided: [...common.decided, 'AUTHZ-CONSENT-REFUSED'],
    alter: ({ idp }: Behaviour) => {
      idp.pages = passkeyFirst
    },
  },
  {
    ...common,
    name: 'cancelled-by-picture',
    summary: 'A picture cancels the login and refuses consent.',
    decided: [...common.decided, 'AUTHZ-CONSENT-REFUSED'],
    alter: ({ idp }: Behaviour) => {
      idp.pages = cancelledByPicture
    },
  },
])
