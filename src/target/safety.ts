import { SetupError } from './problem.ts'
import type { Target } from './target.ts'

/**
 * Binds the profile to hosts: UAT and production differ in host only, so one wrong variable
 * must not turn a thorough UAT run into one against production.
 * @throws {SetupError} naming the variable to change
 */
export function checkHosts(target: Target, productionHosts: readonly string[] | undefined): void {
  const hosts = target.hosts.map(canonical)
  const production = (productionHosts ?? []).map(canonical)
  if (target.name === 'production') {
    if (production.length === 0) {
      throw new SetupError([
        {
          name: 'PRODUCTION_HOSTS',
          what: 'is not set; a production run needs the list of hosts it may talk to',
          example: hosts.join(','),
        },
      ])
    }
    const foreign = hosts.find((host) => !isListed(host, production))
    if (foreign !== undefined) {
      throw new SetupError([
        {
          name: 'PRODUCTION_HOSTS',
          what: `does not list ${foreign}, which a configured address points to; a production run talks to listed hosts only; add it, or change the address`,
        },
      ])
    }
    return
  }
  const forbidden = hosts.find((host) => isListed(host, production))
  if (forbidden !== undefined) {
    throw new SetupError([
      {
        name: 'TARGET',
        what: `is ${target.name}, but ${forbidden} is listed in PRODUCTION_HOSTS; change the address, or use --target production`,
      },
    ])
  }
  if (target.name === 'embedded') {
    const outside = hosts.find((host) => !isLoopback(host.replace(/:\d+$/, '')))
    if (outside !== undefined) {
      throw new SetupError([
        {
          name: 'TARGET',
          what: `is embedded, which is for loopback addresses, but ${outside} is not one; use --target uat`,
        },
      ])
    }
  }
}

/** Whether a host name without port is this machine, as WHATWG URLs write it. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

/** `example.com.` is the same host as `example.com`. */
function canonical(host: string): string {
  return host.toLowerCase().replace(/\.(?=$|:)/, '')
}

/** A listed host without a port means every port of it. */
function isListed(host: string, list: readonly string[]): boolean {
  return list.some(
    (listed) => listed === host || (!/:\d+$/.test(listed) && listed === host.replace(/:\d+$/, '')),
  )
}
