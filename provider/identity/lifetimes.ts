/** Seconds for which access tokens and ID tokens live. */
export const TOKEN_LIFETIME = 900
