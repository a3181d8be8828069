/** What checks of subscriptions do and need. */
export const planned = { effects: ['planned'], needs: ['webhookReceiver'] } as const
