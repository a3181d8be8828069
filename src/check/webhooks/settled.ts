import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpResponse } from '../../http/response.ts'
import { isLoopback } from '../../target/safety.ts'

/**
 * Delays before a change must be visible, in milliseconds between requests: the specification does not say that it is
 * visible at once.
 */
const patience = { loopback: [200, 800], network: [1000, 4000] } as const

/** The first response as expected, or the last of a few: changes may become visible later. */
export async function settled(
  partnerApiUrl: string,
  look: () => Promise<HttpResponse>,
  holds: (response: HttpResponse) => boolean,
): Promise<HttpResponse> {
  const { hostname } = new URL(partnerApiUrl)
  let response = await look()
  for (const pauseMs of isLoopback(hostname) ? patience.loopback : patience.network) {
    if (holds(response)) break
    await sleep(pauseMs)
    response = await look()
  }
  return response
}
