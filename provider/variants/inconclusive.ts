// Requirements that are inconclusive under a condition, for `mayBeInconclusive`.

/** No user can sign in: every requirement about requests of a user, tokens and their use. */
export const WITHOUT_LOGIN = [
  '{AUTHZ,TOKEN,IDTOKEN,ACCESSTOKEN,SUBJECT,USERINFO,INTROSPECTION,WEBHOOK}-*',
  'KEYSET-HOLDS-SIGNER',
  'PLATFORM-{REDIRECT-MISMATCH*,MACHINE-TO-MACHINE,FEATURE-DISABLED*}',
  'EVENT-{NO-OAUTH,NO-ID-TOKEN,SUBSCRIBER,CLAIM-CHANGE-*,TIMESTAMP-GENERATED,TIME-ZONE,ID-UNIQUE}',
]

/** No valid search is accepted. */
export const WITHOUT_SEARCH = ['{EVENT,WEBHOOK}-*', 'PLATFORM-{NOT-FOUND,FEATURE-DISABLED*}']
