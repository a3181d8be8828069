// Requirements that are inconclusive under a condition, for `mayBeInconclusive`.

/** If no user can sign in: all requirements on requests of a user, and on tokens and their use. */
export const WITHOUT_LOGIN = [
  '{AUTHZ,TOKEN,IDTOKEN,ACCESSTOKEN,SUBJECT,USERINFO,INTROSPECTION,WEBHOOK}-*',
  'KEYSET-HOLDS-SIGNER',
  'PLATFORM-{REDIRECT-MISMATCH*,MACHINE-TO-MACHINE,FEATURE-DISABLED*}',
  'EVENT-{NO-OAUTH,NO-ID-TOKEN,SUBSCRIBER,CLAIM-CHANGE-*,TIMESTAMP-GENERATED,TIME-ZONE,ID-UNIQUE}',
]

/** If no valid search is accepted. */
export const WITHOUT_SEARCH = ['{EVENT,WEBHOOK}-*', 'PLATFORM-{NOT-FOUND,FEATURE-DISABLED*}']
