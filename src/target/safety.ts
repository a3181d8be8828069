import type { Problem } from './problem.ts'
import type { Target } from './target.ts'

/**
 * Binds the profile to hosts: UAT and production differ in host only, so one wrong variable must not turn a thorough
 * UAT run into one against production.
 */
export function hostProblem(target: Pick<Target, 'name' | 'hosts' | 'productionHosts'>): Problem | undefined {
  const hosts = target.hosts.map(canonical)
  if (target.name === 'production') {
    const production = target.productionHosts.map(canonical)
    const foreign = hosts.find((host) => !isListed(host, production))
    if (foreign === undefined) return undefined
    return {
      name: 'PRODUCTION_HOSTS',
      what: `does not list ${foreign}, which a configured address points to; a production run sends requests to listed hosts only`,
      advice: 'add it, or change the address',
    }
  }
  const forbidden = hostOfProduction(target, hosts)
  if (forbidden !== undefined) {
    return {
      name: 'TARGET',
      what: `is ${target.name}, but ${forbidden} is listed in PRODUCTION_HOSTS`,
      variables: ['TARGET', 'PRODUCTION_HOSTS'],
      advice: 'change the address, or use --target production',
    }
  }
  const outside = hosts.find((host) => !isLoopback(host.replace(/:\d+$/, '')))
  if (target.name !== 'embedded' || outside === undefined) return undefined
  return {
    name: 'TARGET',
    what: `is embedded, which is for loopback addresses, but ${outside} is not one`,
    advice: 'use --target uat',
  }
}

/** The first of the hosts that belongs to production, to which a target that is not production sends no request. */
export function hostOfProduction(
  { name, productionHosts }: Pick<Target, 'name' | 'productionHosts'>,
  hosts: readonly string[],
): string | undefined {
  if (name === 'production') return undefined
  const production = productionHosts.map(canonical)
  return hosts.map(canonical).find((host) => isListed(host, production))
}

/** Whether a host name without port, in the form of WHATWG URLs, is a loopback address. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

/** `example.com.` is the same host as `example.com`. */
function canonical(host: string): string {
  return host.toLowerCase().replace(/\.(?=$|:)/, '')
}

/** A listed host without a port includes all its ports. */
function isListed(host: string, list: readonly string[]): boolean {
  return list.some(
    (listed) => listed === host || (!/:\d+$/.test(listed) && listed === host.replace(/:\d+$/, '')),
  )
}
