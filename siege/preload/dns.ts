import dns from 'node:dns'
import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

// Preloaded into Plumbline: no name resolves once the file SIEGE_DNS_GONE exists.
const { lookup } = dns
const goneFile = process.env.SIEGE_DNS_GONE ?? ''

function patched(...values: readonly unknown[]): void {
  if (existsSync(goneFile)) {
    const callback = values.at(-1) as (error: Error) => void
    const error = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
    process.nextTick(callback, error)
  } else Reflect.apply(lookup, dns, values)
}

dns.lookup = patched as typeof dns.lookup
syncBuiltinESMExports()
