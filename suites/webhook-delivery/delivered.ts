/** What checks of deliveries do and need: the claim change that brings them about. */
export const delivered = {
  effects: ['planned', 'login', 'claim-change'],
  needs: ['webhookReceiver', 'user', 'claimRecipe'],
} as const
