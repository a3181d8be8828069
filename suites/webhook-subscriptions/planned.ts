/** Effects and needs of checks of subscriptions. */
export const planned = { effects: ['planned'], needs: ['webhookReceiver'] } as const
