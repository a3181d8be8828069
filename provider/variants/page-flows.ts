import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { showPages } from '../edits.ts'
import {
  beforeLogin,
  boxesTicked,
  cancelledByPicture,
  confirmation,
  consentByOption,
  consentWithBoxes,
  knownAccounts,
  passkeyFirst,
  protectAccount,
  staySignedIn,
  terms,
  termsByOption,
} from './pages-on-the-way.ts'

const common = {
  concerns: ['AUTHZ-CODE-FLOW', 'AUTHZ-USER-CANCEL', 'AUTHZ-CONSENT-REFUSED', 'AUTHZ-PROMPT-NONE-SESSION'],
  mustPass: ['AUTHZ-CODE-FLOW', 'AUTHZ-USER-CANCEL'],
  unspecified: 'The pages between an authorization request and its code are not specified.',
}

/** Pages that real providers show between the login and the code. */
export const pageFlowVariants = withSurface('authorization', [
  {
    ...common,
    name: 'consent-with-boxes',
    summary:
      'Shows a consent page with a box to tick for each scope, and a second page that confirms the choice.',
    mustPass: [...common.mustPass, 'AUTHZ-CONSENT-REFUSED'],
    alter: ({ idp }: Behaviour) => {
      idp.pages = consentWithBoxes
      idp.consentGiven = boxesTicked
      idp.afterConsent = confirmation
    },
  },
  {
    ...common,
    name: 'stay-signed-in',
    summary: 'Offers on a page after each login to keep the user signed in.',
    mustPass: [...common.mustPass, 'AUTHZ-CONSENT-REFUSED'],
    alter: ({ idp }: Behaviour) => {
      idp.afterLogin = staySignedIn
    },
  },
  {
    ...common,
    name: 'protect-your-account',
    summary: 'Offers a second factor on a page after each login.',
    mustPass: [...common.mustPass, 'AUTHZ-CONSENT-REFUSED'],
    alter: ({ idp }: Behaviour) => {
      idp.afterLogin = protectAccount
    },
  },
  {
    ...common,
    name: 'terms-to-accept',
    summary: 'Requires the user to accept terms of use after the first login.',
    mustPass: [...common.mustPass, 'AUTHZ-CONSENT-REFUSED'],
    alter: ({ idp }: Behaviour) => {
      idp.afterLogin = terms
    },
  },
  {
    ...common,
    name: 'decisions-by-radio-button',
    summary:
      'Shows terms and a consent page with radio buttons to accept or refuse, and a search form for help on the same page.',
    mustPass: [...common.mustPass, 'AUTHZ-CONSENT-REFUSED'],
    alter: ({ idp }: Behaviour) => {
      idp.pages = consentByOption
      idp.consentGiven = (form) => form.get('action') === 'allow'
      idp.afterLogin = termsByOption
    },
  },
  {
    ...common,
    name: 'continue-as',
    summary:
      'Asks before each authorization in a session whether to continue with the account of the session.',
    alter: showPages(knownAccounts),
  },
  {
    ...common,
    name: 'passkey-first',
    summary: 'Asks for a passkey first, and offers the password and a link by e-mail on another page.',
    mustPass: [...common.mustPass, 'AUTHZ-CONSENT-REFUSED'],
    alter: showPages(passkeyFirst),
  },
  {
    ...common,
    name: 'cancelled-by-picture',
    summary: 'Shows pictures as the controls that cancel the login and refuse consent.',
    mustPass: [...common.mustPass, 'AUTHZ-CONSENT-REFUSED'],
    alter: showPages(cancelledByPicture),
  },
  {
    ...common,
    name: 'welcome-page',
    summary: 'Shows a welcome page with a link to the login page.',
    mustPass: [...common.mustPass, 'AUTHZ-CONSENT-REFUSED'],
    alter: beforeLogin('Welcome', ['Sign in']),
  },
  {
    ...common,
    name: 'language-chosen-first',
    summary: 'Shows a page with links to the login page in several languages.',
    mustPass: [],
    mustBeInconclusive: ['AUTHZ-CODE-FLOW', 'AUTHZ-USER-CANCEL', 'AUTHZ-PROMPT-NONE-SESSION'],
    mayBeInconclusive: ['*'],
    alter: beforeLogin('Choose your language', ['English', 'Suomi']),
  },
])
