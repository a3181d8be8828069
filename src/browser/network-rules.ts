import { withoutBrackets } from '../http/host.ts'
import type { ProxySettings } from '../target/target.ts'

/** The proxy for hosts that the browser must not reach: its name never resolves (RFC 6761, 6.4). */
const nowhere = 'nowhere.invalid:9'

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

interface Endpoint {
  /** Host name as in a URL: IPv6 in brackets. */
  readonly name: string
  /** `*` is any port. */
  readonly port: string
}

/**
 * The command-line arguments of a Chromium that can reach only `hosts`. Two rules are necessary: requests to other hosts go
 * to a proxy that does not exist, and the names of other hosts do not resolve. Resolver rules alone ignore ports, and a proxy script
 * alone ignores loopback addresses.
 * @param hosts `name`, `name:port`, or `name:*` for any port; a name alone means ports 80 and 443
 * @throws {Error} for a proxy address that Chromium cannot use; the message contains no credentials
 */
export function networkArguments(hosts: readonly string[], proxy?: ProxySettings): string[] {
  const endpoints = hosts.flatMap(endpointsOf)
  if (!proxy) {
    const direct = endpoints.map(({ name, port }) => (port === '*' ? name : `${name}:${port}`))
    return [
      `--proxy-server=http://${nowhere}`,
      `--proxy-bypass-list=${['<-loopback>', ...direct].join(';')}`,
      resolverRules(endpoints.map(({ name }) => name)),
    ]
  }
  const { directive, name: proxyName } = proxyDirective(proxy.url)
  const isDirect = (endpoint: Endpoint) => bypasses(endpoint, proxy.bypass)
  const script = Buffer.from(
    pacScript(endpoints.map((each) => [`${each.name}:${each.port}`, isDirect(each) ? 'DIRECT' : directive])),
  )
  const resolved = endpoints.filter(isDirect).map(({ name }) => name)
  return [
    `--proxy-pac-url=data:application/x-ns-proxy-autoconfig;base64,${script.toString('base64')}`,
    resolverRules([...resolved, proxyName]),
  ]
}

/** The proxy of a TLS connection to a host; undefined if the connection is direct. */
export function proxyFor(host: string, proxy: ProxySettings | undefined): URL | undefined {
  // Without a port in `host`, the last endpoint has port 443.
  const tls = endpointsOf(host).at(-1)
  return proxy && tls && !bypasses(tls, proxy.bypass) ? new URL(proxy.url) : undefined
}

function endpointsOf(host: string): Endpoint[] {
  const [, name = host, port] = /^(.*?|\[.*\])(?::(\d+|\*))?$/.exec(host.toLowerCase()) ?? []
  const ports = port === undefined ? Object.values(defaultPorts).map(String) : [port]
  return ports.map((each) => ({ name, port: each }))
}

function resolverRules(names: readonly string[]): string {
  const excluded = [...new Set(names)].map((name) => `, EXCLUDE ${withoutBrackets(name)}`)
  return `--host-resolver-rules=MAP * ~NOTFOUND${excluded.join('')}`
}

const proxySchemes: Readonly<Record<string, string>> = {
  'http:': 'PROXY',
  'https:': 'HTTPS',
  'socks4:': 'SOCKS',
  'socks5:': 'SOCKS5',
}

function proxyDirective(url: string): { readonly directive: string; readonly name: string } {
  const parsed = URL.parse(url)
  const scheme = parsed && proxySchemes[parsed.protocol]
  if (!scheme) throw new Error('must be an address that begins with http:// or https://')
  if (parsed.username || parsed.password)
    throw new Error(
      'contains a user name or password, which the browser cannot use; use a proxy without credentials',
    )
  const port = parsed.port || (defaultPorts[parsed.protocol] ?? 1080)
  return { directive: `${scheme} ${parsed.hostname}:${port}`, name: parsed.hostname }
}

/** Proxy auto-configuration script. Chromium calls `FindProxyForURL` with addresses such as `https://host:8443/`. */
function pacScript(routes: readonly (readonly [endpoint: string, directive: string])[]): string {
  return `var routes = ${JSON.stringify(Object.fromEntries(routes))};
function FindProxyForURL(url) {
  var parts = /^(\\w+):\\/\\/(\\[[^\\]]*\\]|[^\\/:]*)(?::(\\d+))?/.exec(url.toLowerCase());
  if (!parts) return 'PROXY ${nowhere}';
  var port = parts[3] || (/^(https|wss)$/.test(parts[1]) ? '443' : '80');
  return routes[parts[2] + ':' + port] || routes[parts[2] + ':*'] || 'PROXY ${nowhere}';
}`
}

/** Whether NO_PROXY covers an endpoint. A name covers its subdomains, as in undici, which the HTTP client uses. */
function bypasses({ name, port }: Endpoint, list: string): boolean {
  const host = withoutBrackets(name)
  const entries = list
    .toLowerCase()
    .split(/[,\s]+/)
    .filter(Boolean)
  return entries.some((entry) => {
    const [, rawName = entry, entryPort] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? []
    if (entryPort !== undefined && entryPort !== port) return false
    if (rawName === '*') return true
    const entryName = withoutBrackets(rawName).replace(/^\*?\./, '')
    return (host === entryName && !rawName.startsWith('*')) || host.endsWith(`.${entryName}`)
  })
}
