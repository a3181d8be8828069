import type { HttpRequest, HttpResponse } from './http.ts'
import { type HubBehaviour, lawfulHub } from './hub/behaviour.ts'
import { type IdentityBehaviour, lawfulIdentity } from './identity/behaviour.ts'
import { lawfulWebhooks, type WebhookBehaviour } from './webhook/behaviour.ts'

/**
 * Everything that a fault or a variant can change. The provider takes its decisions from one `Behaviour`, and applies
 * the lists of edits to every response and every token.
 */
export interface Behaviour {
  idp: IdentityBehaviour
  hub: HubBehaviour
  webhooks: WebhookBehaviour
  /** Path of the identity provider below its host, without a trailing slash; empty by default. */
  basePath: string
  /** Configuration variables that the provider reports with wrong values. */
  variables: Record<string, string>
  /** Edits the response 429 of the limiter at every endpoint. */
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
