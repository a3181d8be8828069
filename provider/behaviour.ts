import type { HttpRequest, HttpResponse } from './http.ts'
import { type HubBehaviour, lawfulHub } from './hub/behaviour.ts'
import { type IdentityBehaviour, lawfulIdentity } from './identity/behaviour.ts'
import { lawfulWebhooks, type WebhookBehaviour } from './webhook/behaviour.ts'

/**
 * Everything that a fault or a variant can change. The provider asks its `Behaviour` for each decision, and applies the
 * edits in its lists to responses and tokens.
 */
export interface Behaviour {
  idp: IdentityBehaviour
  hub: HubBehaviour
  webhooks: WebhookBehaviour
  /** Path of the identity provider below its host, without a trailing slash; empty by default. */
  basePath: string
  /** Configuration variables whose values replace those that the provider would report. */
  variables: Record<string, string>
  /** Edits each response 429 of the limiter. */
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
