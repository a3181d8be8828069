import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpResponse } from '../../http/response.ts'
import { isLoopback } from '../../target/safety.ts'

/**
 * For changes to be seen, in milliseconds between one look and the next: that they can be at once is not said.
 */
const patience = { loopback: [200, 800], network: [1000, 4000] } as const

/** An answer that is as it should be, or the last of a few: changes may take a moment to be seen. */
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
