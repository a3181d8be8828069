/**
 * Positions of files in a run, where the order of their area is unsuitable. Reports keep the order of the areas
 * (discovery 1, key set 2, authorization 3, tokens 4, ID tokens 5, UserInfo 6, introspection 7, event search 8 …).
 */
export const turns = {
  /** Tokens of the second application give the consent that these checks must not find. */
  beforeSecondConsent: 3.5,
  /** A target may lock the application after failed authentications, so they follow the checks of its tokens. */
  failingAuthentication: 4.5,
  /** Checks that most users need run first, in case the budget runs out: the event search after the tokens. */
  eventSearch: 5.5,
  /** The many variations of the authorization request run after it. */
  authorization: 8.5,
} as const
