/** Effects and needs of checks of deliveries, which a claim change causes. */
export const delivered = {
  effects: ['planned', 'login', 'claim-change'],
  needs: ['webhookReceiver', 'user', 'claimRecipe'],
} as const
