import type { Alter } from '../alteration.ts'
import type { DeliveryRequest } from '../webhook/behaviour.ts'

export const MINUTE = 60_000

/** Edits the signed request of each attempt. */
export function editRequest(edit: (request: DeliveryRequest) => void): Alter {
  return ({ webhooks }) => webhooks.requests.push(edit)
}

/** Shifts the time of an event in its envelope, header and signature. */
export function shiftTime(milliseconds: number): Alter {
  return ({ webhooks }) => {
    const { instant } = webhooks
    webhooks.instant = (event, zone) => instant(event, zone) + milliseconds
  }
}
