import type { Application, ClientAuthMethod } from '../target/target.ts'

type Pair = readonly [name: string, value: string]

/** The headers and form members that authenticate a client. */
export interface ClientAuthentication {
  readonly headers: readonly Pair[]
  readonly form: readonly Pair[]
}

/**
 * Client credentials in the documented form (section Authentication, 2): Basic is the base64 of `id:secret`, without
 * the form-encoding that RFC 6749, 2.3.1 requires.
 */
export function clientAuthentication(
  { id, secret, authMethod }: Application,
  method: ClientAuthMethod = authMethod,
): ClientAuthentication {
  if (method === 'client_secret_post') {
    return {
      headers: [],
      form: [
        ['client_id', id],
        ['client_secret', secret],
      ],
    }
  }
  return {
    headers: [['Authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`]],
    form: [],
  }
}

/** The documented authentication method that an application does not use. */
export function otherMethod({ authMethod }: Application): ClientAuthMethod {
  return authMethod === 'client_secret_basic' ? 'client_secret_post' : 'client_secret_basic'
}

/** Whether form-encoding changes the Basic header. Some servers expect the encoded credentials there, others do not. */
export function basicIsAmbiguous({ id, secret }: { readonly id: string; readonly secret: string }): boolean {
  return [id, secret].some((value) => new URLSearchParams({ '': value }).toString() !== `=${value}`)
}
