import { listText } from '../text/format.ts'
import type { Problem } from './problem.ts'
import type { Target } from './target.ts'

type Addressed = Pick<Target, 'name' | 'hosts' | 'productionHosts' | 'issuer' | 'partnerApiUrl' | 'jwksUrl'>

/** The variables whose addresses are on a host. */
function variablesWith({ issuer, partnerApiUrl, jwksUrl }: Addressed, host: string): readonly string[] {
  const addresses = { IDP_BASE_URL: issuer, PARTNER_API_URL: partnerApiUrl, JWKS_URL: jwksUrl }
  return Object.entries(addresses)
    .filter(([, address]) => address !== undefined && canonical(new URL(address).host) === host)
    .map(([name]) => name)
}

/**
 * The problem of a target with a host that its profile does not permit; undefined if all hosts are permitted. UAT and
 * production may differ only in their hosts: one wrong variable must not direct a thorough UAT run at production.
 */
export function hostProblem(target: Addressed): Problem | undefined {
  const hosts = target.hosts.map(canonical)
  if (target.name === 'production') {
    const production = target.productionHosts.map(canonical)
    const foreign = hosts.find((host) => !isListed(host, production))
    if (foreign === undefined) return undefined
    const names = listText(variablesWith(target, foreign))
    return {
      name: 'PRODUCTION_HOSTS',
      what: `does not list ${foreign}, the host of ${names}; a production run sends requests to listed hosts only`,
      advice: `add the host if it belongs to production, or change ${names}`,
    }
  }
  const forbidden = hostOfProduction(target, hosts)
  if (forbidden !== undefined) {
    const names = variablesWith(target, forbidden)
    return {
      name: 'TARGET',
      what: `is ${target.name}, but PRODUCTION_HOSTS lists ${forbidden}, the host of ${listText(names)}`,
      variables: [...names, 'PRODUCTION_HOSTS'],
      advice: `change ${listText(names)} to an address of ${target.name}`,
    }
  }
  const outside = hosts.find((host) => !isLoopback(host.replace(/:\d+$/, '')))
  if (target.name !== 'embedded' || outside === undefined) return undefined
  return {
    name: 'TARGET',
    what: `is embedded, which permits only loopback addresses, but ${outside} is not a loopback address`,
    advice: 'use --target uat',
  }
}

/** The first host that PRODUCTION_HOSTS lists; undefined if it lists none, or if the target is production. */
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

/** Lower case, and without the final dot of `example.com.`, which is the same host as `example.com`. */
function canonical(host: string): string {
  return host.toLowerCase().replace(/\.(?=$|:)/, '')
}

/** A host without a port in the list covers all ports of this host. */
function isListed(host: string, list: readonly string[]): boolean {
  return list.some(
    (listed) => listed === host || (!/:\d+$/.test(listed) && listed === host.replace(/:\d+$/, '')),
  )
}
