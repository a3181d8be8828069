import type { HttpRequest, HttpResponse } from './http.ts'
import { type HubBehaviour, lawfulHub } from './hub/behaviour.ts'
import { type IdentityBehaviour, lawfulIdentity } from './identity/behaviour.ts'
import { lawfulWebhooks, type WebhookBehaviour } from './webhook/behaviour.ts'

/**
 * Everything a fault or a variant can change, with lawful defaults. The provider takes its decisions from one
 * `Behaviour` and passes every response and every token through its lists of edits.
 */
export interface Behaviour {
  idp: IdentityBehaviour
  hub: HubBehaviour
  webhooks: WebhookBehaviour
  /** Path of the identity provider below its host, without a trailing slash; empty by default. */
  basePath: string
  /** Configuration variables that are reported with a false value. */
  variables: Record<string, string>
  /** Edits the 429 of the limiter, on every endpoint. */
  throttled: ((response: HttpResponse, request: HttpRequest) => void)[]
}

export function lawfulBehaviour(): Behaviour {
  return {
    idp: lawfulIdentity(),
    hub: lawfulHub(),
    webhooks: lawfulWebhooks(),
    basePath: '',
    variables: {},
    throttled: [],
  }
}
